/* Names the target of a compiler and its flags: cc $CFLAGS -E -P target.h
 *
 * The folders in `lib` have these names. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
"x86_64-unknown-linux-gnu"
#elif defined(__aarch64__) && defined(__linux__) && !defined(__ILP32__)
"aarch64-unknown-linux-gnu"
#elif defined(__linux__) || defined(__BIG_ENDIAN__) || defined(__ARMEB__) || defined(__riscv_32e)
"none"
#elif defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
"thumbv6m-none-eabi"
#elif defined(__ARM_ARCH_7M__)
"thumbv7m-none-eabi"
#elif defined(__ARM_ARCH_7EM__) && defined(__ARM_PCS_VFP)
"thumbv7em-none-eabihf"
#elif defined(__ARM_ARCH_7EM__)
"thumbv7em-none-eabi"
#elif (defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)) && defined(__ARM_PCS_VFP)
"thumbv8m.main-none-eabihf"
#elif defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
"thumbv8m.main-none-eabi"
#elif defined(__riscv_atomic) && defined(__riscv_mul) && defined(__riscv_compressed) && \
    defined(__riscv_float_abi_single) && __riscv_xlen == 32
"riscv32imafc-unknown-none-elf"
#elif defined(__riscv_atomic) && defined(__riscv_mul) && defined(__riscv_compressed) && \
    defined(__riscv_float_abi_soft) && __riscv_xlen == 32
"riscv32imac-unknown-none-elf"
#elif defined(__riscv_mul) && defined(__riscv_compressed) && defined(__riscv_float_abi_soft) && __riscv_xlen == 32
"riscv32imc-unknown-none-elf"
#else
"none"
#endif
