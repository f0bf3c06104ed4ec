# SPDX-License-Identifier: Apache-2.0
"""`sluice pipe`: from a file or channel to another, by chunks through a ring of host memory.

ends      what the two words of the command name
channels  the channel of a board as a source or a sink
gpus      memory of a GPU, likewise; also chunks that a GPU and a board reach
files     a file, or standard input and output, likewise
pump      the ring: the source fills one chunk while the sink empties another
result    what was moved, in what time
run       the command: progress, Ctrl-C, verification
"""
