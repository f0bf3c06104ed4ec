# SPDX-License-Identifier: Apache-2.0
"""Frames as pictures: in a terminal, on a page, as files. `sluice capture --view`, `sluice view`.

picture    how pixels are coded; to red, green and blue
pattern    the design's test picture: what whole and torn ones are
ask        --view, --picture and --size; what the board draws
tally      which frames came, were lost, are torn; rates
feed       from the capture to a viewer, which never waits for it
viewer     what a viewer is, and the one that was asked for
screen     the terminal: taken over, asked what it can, and given back
cells      a picture as Kitty graphics, as sixels, as half blocks
terminal   the viewer in the terminal
server     the viewer on a page: HTTP on loopback; page.html
images     the viewer that writes files: PNG, contact sheet, animation, index
recording  what `sluice capture` wrote earlier, frame by frame
play       `sluice view`
"""
