// SPDX-License-Identifier: Apache-2.0
// Has the header of GoogleTest compiled, once for all tests: see sluice_test_header().
