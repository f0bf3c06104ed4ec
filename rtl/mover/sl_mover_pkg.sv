// SPDX-License-Identifier: Apache-2.0
//
// sl_mover_pkg: what a mover's status says about errors.

package sl_mover_pkg;

  // SLVERR and DECERR are coded as on the bus. INTERNAL: the command itself was wrong (no bytes, or
  // an address that is not beat-aligned where the mover was built without alignment support);
  // nothing was moved.
  typedef enum logic [1:0] {
    OKAY     = 2'd0,
    INTERNAL = 2'd1,
    SLVERR   = 2'd2,
    DECERR   = 2'd3
  } error_e;

endpackage
