// Written by tools/fit-polynomials/fit.py; do not edit.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H
#define KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H

// Lowest power first. Errors are relative to the function unless stated otherwise.
namespace keratin::codegen::coefficients {

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, relative to e^r - 1; error 2^-25.8.
inline constexpr double exp32[] = {0x1.fffffe0000000p-2, 0x1.5554b00000000p-3, 0x1.5556740000000p-5,
                                   0x1.1227820000000p-7, 0x1.6bec220000000p-10};

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, relative to e^r - 1; error 2^-54.7.
inline constexpr double exp64[] = {
    0x1.0000000000005p-1,  0x1.5555555555539p-3,  0x1.55555555522acp-5,  0x1.1111111118fb2p-7,
    0x1.6c16c17edeb8ap-10, 0x1.a01a017514774p-13, 0x1.a019a765a71a4p-16, 0x1.71de8800f113dp-19,
    0x1.28a1e9f2088c1p-22, 0x1.ae6bbd970b4b4p-26};

// the same with a smaller error; error 2^-28.8.
inline constexpr double expm1Of32[] = {0x1.0000000000000p-1,  0x1.5555540000000p-3,
                                       0x1.5554b20000000p-5,  0x1.11118a0000000p-7,
                                       0x1.6d72060000000p-10, 0x1.a032680000000p-13};

// the same with a smaller error; error 2^-60.0.
inline constexpr double expm1Of64[] = {
    0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555553fp-5,  0x1.111111110f6d5p-7,
    0x1.6c16c16c1f092p-10, 0x1.a01a01afd62e4p-13, 0x1.a01a017bc38ddp-16, 0x1.71ddf87843964p-19,
    0x1.27e5362a5fed5p-22, 0x1.af5e8157abe66p-26, 0x1.1ee894fb4c04ep-29};

// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from the root of 1/2 to 3/2; error 2^-28.2.
inline constexpr double log32[] = {
    0x1.55554c0000000p-2,  -0x1.0000b60000000p-2, 0x1.99a2f60000000p-3,
    -0x1.55130e0000000p-3, 0x1.2325300000000p-3,  -0x1.02cda80000000p-3,
    0x1.f0d44a0000000p-4,  -0x1.ac4d1a0000000p-4, 0x1.89b8880000000p-5};

// (2 atanh(s) - 2 s) / s^3 in z = s^2, 1 + f = (1 + s) / (1 - s) from the root of 1/2 to 3/2; error
// 2^-62.4.
inline constexpr double log64[] = {0x1.555555555554fp-1, 0x1.999999999c179p-2, 0x1.24924921e451cp-2,
                                   0x1.c71c748fbdb72p-3, 0x1.745c4adab88a0p-3, 0x1.3b35c12450a72p-3,
                                   0x1.0dcb8d452c1fcp-3, 0x1.1b81c8b6c1641p-3};

// (2 atanh(s) - 2 s - 2/3 s^3) / s^5 in z = s^2; error 2^-75.4.
inline constexpr double logExtended64[] = {
    0x1.999999999999ap-2, 0x1.2492492492358p-2, 0x1.c71c71c747f8dp-3,
    0x1.745d172d4d06fp-3, 0x1.3b13b94078453p-3, 0x1.110f739f4a59dp-3,
    0x1.e249bb75173d6p-4, 0x1.a741eb1e90720p-4, 0x1.da664ed64e4a7p-4};

// log2(1 + f) / f, enough for pow of single precision; error 2^-36.9.
inline constexpr double log2Single64[] = {
    0x1.71547652ac65dp+0, -0x1.71547654153d0p-1, 0x1.ec709e416cf84p-2, -0x1.7154747b4b0ffp-2,
    0x1.27768d0d88533p-2, -0x1.ec70fe62dd803p-3, 0x1.a629e1ada0370p-3, -0x1.71627a6b7b66cp-3,
    0x1.46f26a3fa5c21p-3, -0x1.24d1fbf968a67p-3, 0x1.168a8bf74e1a2p-3, -0x1.1801c4f3d8720p-3,
    0x1.c52e9d82d0ddep-4, -0x1.6aeddcf717f0bp-5};

// 2^r for |r| <= 1/2, enough for pow of single precision; error 2^-34.5.
inline constexpr double exp2Single64[] = {
    0x1.ffffffffaba09p-1, 0x1.62e42ff116785p-1,  0x1.ebfbe0a4f2539p-3,  0x1.c6b08aaec6ed0p-5,
    0x1.3b29dc141f7cap-7, 0x1.5d8a70add88cap-10, 0x1.446a440b3bd45p-13, 0x1.fe17ad659c412p-17};

// 2^r for |r| <= 1/2; error 2^-26.0.
inline constexpr double exp2Of32[] = {
    0x1.0000000000000p+0, 0x1.62e4300000000p-1,  0x1.ebfbda0000000p-3, 0x1.c6aed40000000p-5,
    0x1.3b2dbc0000000p-7, 0x1.5f459a0000000p-10, 0x1.41d34e0000000p-13};

// 2^r for |r| <= 1/2; error 2^-54.7.
inline constexpr double exp2Of64[] = {
    0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5adp-3,  0x1.c6b08d7049fd0p-5,
    0x1.3b2ab6fb9f3f0p-7,  0x1.5d87fe78cf39ep-10, 0x1.43091310c692dp-13, 0x1.ffcbfba7789cbp-17,
    0x1.62bfc3af183bbp-20, 0x1.b52678de1ca88p-24, 0x1.e6211d13d5d15p-28, 0x1.e7a9d84ffcccep-32};

// (tanh x - x) / x^3 in x^2 for |x| <= 0.6; error 2^-28.4.
inline constexpr double tanh32[] = {-0x1.55553e0000000p-2, 0x1.1109be0000000p-3,
                                    -0x1.b89ab80000000p-5, 0x1.54c3a60000000p-6,
                                    -0x1.8286e20000000p-8};

// (tanh x - x) / x^3 in x^2 for |x| <= 0.55; error 2^-65.2.
inline constexpr double tanh64[] = {
    -0x1.5555555555555p-2,  0x1.1111111111064p-3,  -0x1.ba1ba1ba0c47dp-5,  0x1.664f487d43894p-6,
    -0x1.226e3435c48bep-7,  0x1.d6d38061bc8f9p-9,  -0x1.7d9c032859134p-10, 0x1.34dfcd3fabecap-11,
    -0x1.eab5df56cda4cp-13, 0x1.3fdebb5cea1bap-14, 0x1.287a17a4bd2fep-16,  -0x1.6c1044cd01110p-14,
    0x1.af80e820891b5p-14,  -0x1.a328d6d4227b4p-15};

// (sin x - x) / x^3 in x^2 for |x| <= pi / 4; error 2^-32.5.
inline constexpr double sin32[] = {-0x1.5555560000000p-3, 0x1.1111740000000p-7,
                                   -0x1.a059560000000p-13, 0x1.7c2d520000000p-19};

// (cos x - 1 + x^2 / 2) / x^4 in x^2 for |x| <= pi / 4; error 2^-33.0.
inline constexpr double cos32[] = {0x1.55554a0000000p-5, -0x1.6c0c280000000p-10,
                                   0x1.99e80e0000000p-16};

// (sin x - x) / x^3 in x^2 for |x| <= pi / 4; error 2^-63.2.
inline constexpr double sin64[] = {
    -0x1.5555555555555p-3,  0x1.1111111111069p-7,  -0x1.a01a019ffe521p-13, 0x1.71de3a33a54b3p-19,
    -0x1.ae642c5179dd1p-26, 0x1.6109bd67a7c99p-33, -0x1.9ffd7e1067a47p-41};

// (cos x - 1 + x^2 / 2) / x^4 in x^2 for |x| <= pi / 4; error 2^-67.3.
inline constexpr double cos64[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16b30p-10, 0x1.a01a019ffcb72p-16, -0x1.27e4fb5a1e744p-22,
    0x1.1eed6f7cf32fep-29, -0x1.93744d1e40eb4p-37, 0x1.9dab12227a913p-45};

// (atan t - t) / t^3 in t^2 for |t| <= tan(pi / 8); error 2^-30.4.
inline constexpr double atan32[] = {-0x1.55554a0000000p-2, 0x1.9991e20000000p-3,
                                    -0x1.23b9a20000000p-3, 0x1.b224520000000p-4,
                                    -0x1.f2e5780000000p-5};

// (atan t - t) / t^3 in t^2 for |t| <= tan(pi / 8); error 2^-60.4.
inline constexpr double atan64[] = {
    -0x1.5555555555554p-2, 0x1.9999999999584p-3, -0x1.249249246f58fp-3, 0x1.c71c71b458ed5p-4,
    -0x1.745d14504d905p-4, 0x1.3b1364f0d38c3p-4, -0x1.110beb83db143p-4, 0x1.e167bcb303afcp-5,
    -0x1.ab3bfe75eb63cp-5, 0x1.6fe52630820abp-5, -0x1.0fd5ed1b2c026p-5, 0x1.e84fa072fbc6bp-7};

// (erf x - x) / x in x^2 for |x| <= 0.93; error 2^-30.1.
inline constexpr double erfSmall32[] = {
    0x1.06eba80000000p-3, -0x1.8127400000000p-2,  0x1.ce2d640000000p-4, -0x1.b8011a0000000p-6,
    0x1.544a1a0000000p-8, -0x1.a60a2e0000000p-11, 0x1.4f675c0000000p-14};

// (erf x - x) / x in x^2 for |x| <= 1; error 2^-56.3.
inline constexpr double erfSmall64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b47p-6,
    0x1.565bcd0e6a2c6p-8,  -0x1.c02db4003550cp-11, 0x1.f9a326f7927e1p-14, -0x1.f4d25bf6dd090p-17,
    0x1.b9e6c357788f7p-20, -0x1.5f73c0ce218d1p-23, 0x1.fcbaf8878ffadp-27, -0x1.517b698b87c71p-30,
    0x1.9a03215659f9bp-34, -0x1.b3cded3a8e053p-38, 0x1.3b6f0b8860127p-42};

// log2 erfc(x) / x for x from 0.93 to 4; error of erf; error 2^-30.5.
inline constexpr double erfLarge32[] = {
    -0x1.a0d8dc0000000p+0, -0x1.d521f20000000p-1, -0x1.3a146c0000000p-3, 0x1.197ca60000000p-5,
    -0x1.5ae1820000000p-8, 0x1.f235860000000p-12, -0x1.1fbf9e0000000p-16};

// exp(x^2) erfc(x) in t = (x - 2) / (x + 2) for x from 1 to 6; error of erf; error 2^-59.5.
inline constexpr double erfLarge64[] = {
    0x1.058671b52c776p-2,   -0x1.b57034efd3f72p-2, 0x1.eeea7dc8a78b3p-3,   -0x1.437f0b68c0c20p-4,
    0x1.e9471597a06ebp-9,   0x1.ca95ed534346fp-8,  -0x1.bc25a47f729c4p-11, -0x1.016b5ce993445p-10,
    0x1.6d5f049fbb46bp-15,  0x1.6da9776f37697p-13, 0x1.cdca1bfe8bf79p-16,  -0x1.ceb86adc6b8e3p-16,
    -0x1.d46ae685f49cep-17, 0x1.76662deb7d11cp-20, 0x1.f5415571597d0p-19,  0x1.37203284f458dp-20,
    -0x1.950318946c664p-22, -0x1.571b597a16bf2p-22};

// 2 / pi in words of 32 bits after one word of zeros, most significant first.
inline constexpr unsigned twoOverPi[] = {
    0x0,        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x6492eea,  0x9d1921c,  0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

} // namespace keratin::codegen::coefficients

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H
