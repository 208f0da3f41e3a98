"""Reads the module as Zephyr's build does, and writes the symbols of one board.

Prints the target that the module chooses for each kind of processor.
"""

import os
import sys

import kconfiglib
import yaml

module, output = sys.argv[1:]
os.environ["MODULE"] = module
here = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(module, "zephyr/module.yml")) as file:
    build = yaml.safe_load(file)["build"]
assert os.path.isfile(os.path.join(module, build["cmake"], "CMakeLists.txt"))
assert os.path.isfile(os.path.join(module, build["kconfig"]))

BOARDS = [
    "CPU_CORTEX_M0",
    "CPU_CORTEX_M0PLUS",
    "CPU_CORTEX_M3",
    "CPU_CORTEX_M4",
    "CPU_CORTEX_M4 FP_HARDABI",
    "CPU_CORTEX_M7",
    "CPU_CORTEX_M23",
    "CPU_CORTEX_M33",
    "CPU_CORTEX_M33 FP_HARDABI",
    "CPU_CORTEX_M55 FP_HARDABI",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_C",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_A RISCV_ISA_EXT_C",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_A RISCV_ISA_EXT_C FLOAT_HARD",
]
# No archive runs on these; CMake says so.
UNSERVED = [
    "RISCV",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_A",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_C RISCV_ISA_RV32E",
    "RISCV RISCV_ISA_EXT_M RISCV_ISA_EXT_A RISCV_ISA_EXT_C RISCV_ISA_EXT_D FLOAT_HARD",
]
for board in BOARDS + UNSERVED:
    kconfig = kconfiglib.Kconfig(os.path.join(here, "Kconfig"))
    for symbol in board.split() + ["UNSPOOL"]:
        assert kconfig.syms[symbol].set_value("y")
    assert not kconfig.warnings, kconfig.warnings
    target = kconfig.syms["UNSPOOL_TARGET"].str_value
    assert (target == "") == (board in UNSERVED), board
    print(target)
    if board == "CPU_CORTEX_M0":
        kconfig.write_config(output)
