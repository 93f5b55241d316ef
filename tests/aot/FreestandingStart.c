// A Cortex-M begins here: the address of its stack, and of the C library's beginning.
extern void _start(void);
__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {
    (const void *)0x20010000, (const void *)_start};
