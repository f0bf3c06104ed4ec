# SPDX-License-Identifier: Apache-2.0
"""`sluice capture`: records a channel's stream, and accounts for every byte that is missing.

options   what was asked for, and which of it a channel can do
target    what -o names
datatype  what a sample is, in SigMF's words and numpy's
source    the counter source in front of the channel: its rate, its start and end
files     what was made for a capture that has not begun, and what it replaces
writer    a file that grows by frames, past the page cache where that can be
sinks     where frames go: a file, a folder, a stream
reserve   the description's place on the disk, taken before the disk is full
ledger    what was kept, lost and dropped, as the result lists it
check     whether the counter source's words are all there
recorder  the loop: from the capture's ring to the sink
sigmf     the description of a file
result    what is said as JSON
outcome   from the account to the result
show      what is said in words, while it runs and at the end
run       the command
view      frames as pictures: in a terminal, on a page, as files; and `sluice view`
"""
