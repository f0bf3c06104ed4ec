// SPDX-License-Identifier: Apache-2.0
// What tops of designs choose between.
package sl_design_pkg;

  // The engine behind each port
  typedef enum int unsigned {
    EngineAxiDma,
    EngineCdma,
    EngineMsgdma
  } engine_e;

endpackage
