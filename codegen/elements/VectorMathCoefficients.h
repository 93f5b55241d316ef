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

// (1 + 2 a) exp(a^2) erfc(a) in t = (a - 3) / (a + 3) for a from 1/2 to 10.2; error 2^-24.4.
inline constexpr double erfcScaled32[] = {
    0x1.40c5220000000p+0,  -0x1.15c07c0000000p-3, -0x1.85a1640000000p-5, 0x1.0982100000000p-3,
    -0x1.e88ba60000000p-4, 0x1.17e9a80000000p-4,  -0x1.8554b80000000p-6, 0x1.3967e40000000p-9,
    0x1.e0e9860000000p-10, -0x1.15787a0000000p-11};

// (1 + 2 a) exp(a^2) erfc(a) in t = (a - 3) / (a + 3) for a from 1/2 to 27.5; error 2^-54.4.
inline constexpr double erfcScaled64[] = {
    0x1.40c522d7e4987p+0,  -0x1.15c084bb9e8f7p-3,  -0x1.85a15c58aa566p-5,  0x1.098366a5b4919p-3,
    -0x1.e88b803a4a1d3p-4, 0x1.17ca2877e4ee2p-4,   -0x1.8574c40b63a7cp-6,  0x1.4b884e60c9151p-9,
    0x1.ef1bdce0e5922p-10, -0x1.98db55bb25fffp-11, -0x1.b9123983e7a19p-14, 0x1.065aab4632358p-13,
    0x1.4c0f59ff267c9p-18, -0x1.514972472af84p-16, -0x1.85cb9ed4f5e81p-21, 0x1.d31c27d272b54p-19,
    0x1.707ccac35b63ep-22, -0x1.50fffaaaffc3cp-21, -0x1.0225ebbc86036p-23, 0x1.d7f1cb81f85bep-24,
    0x1.8010fc6244181p-26, -0x1.f96431b4ebbfap-27};

// erfinv(x) / x in w - 2.5, w = -log(1 - x^2) to 5; error 2^-23.6.
inline constexpr double erfinvCentral32[] = {
    0x1.805c5e0000000p+0,  0x1.f91e8a0000000p-3,   -0x1.11c4ec0000000p-8,  -0x1.4866160000000p-10,
    0x1.c9e6c60000000p-13, -0x1.4d159c0000000p-18, -0x1.d0c1920000000p-19, 0x1.f48bd40000000p-22,
    0x1.8f219c0000000p-26, -0x1.2e0e8e0000000p-27};

// erfinv(x) / x in w - 3.125, w = -log(1 - x^2) to 6.25; error 2^-55.4.
inline constexpr double erfinvCentral64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13dfap-3,   -0x1.8b6c33114ead6p-8,  -0x1.84576948356aap-11,
    0x1.879c2a20b5299p-13,  -0x1.d1d1f7ca22360p-17, -0x1.6e8a53cde9997p-20, 0x1.c6b4f88beec42p-22,
    -0x1.f36ced46721cfp-26, -0x1.1a9eb0f05c946p-28, 0x1.20f5363d8e096p-30,  -0x1.dc3f13861f240p-35,
    -0x1.c8a3f8fcbbd77p-37, 0x1.7235dffb33429p-39,  -0x1.6bdbe881dc373p-44, -0x1.686e60a0721f0p-45,
    0x1.d6c6ed3df4d72p-48,  -0x1.6fcf4766bd8d7p-55, -0x1.1ca7630a6c3e8p-53, 0x1.1ec220bb5dc65p-56,
    0x1.9aa7947b9ffe6p-61,  -0x1.9bbfb4d5dcbf3p-62, 0x1.38695c8a1bbcbp-66,  0x1.e67f4d0554cefp-69,
    -0x1.6adda2eeec636p-72};

// the same in sqrt(w) - 3, sqrt(w) from 2.236 to 4.1; error 2^-24.7.
inline constexpr double erfinvTail32[] = {
    0x1.6a9efc0000000p+1,   0x1.006dc40000000p+0,  0x1.3580040000000p-7,  -0x1.f47ed80000000p-8,
    0x1.74c19e0000000p-8,   -0x1.d7ba000000000p-9, 0x1.84b86c0000000p-10, -0x1.c2fce80000000p-15,
    -0x1.42b1840000000p-12, 0x1.dca2020000000p-14};

// the same in sqrt(w) - 3.25, sqrt(w) from 2.5 to 4; error 2^-54.5.
inline constexpr double erfinvMiddle64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d55p+0,   0x1.5ffcfe5b6cd7ap-8,   -0x1.ebadabba0238cp-9,
    0x1.468eeca942ca7p-9,   -0x1.ba9240d8975cdp-10, 0x1.f3cc545e580ffp-11,  -0x1.7448bcc19634cp-12,
    0x1.932e8ebc21227p-16,  0x1.1e6abb03c5308p-14,  -0x1.8cf45f938c3fap-15, 0x1.a241e71c4ae33p-17,
    0x1.8999a9503d1a3p-19,  -0x1.0b7a989d4f9cap-18, 0x1.8dbb90beb211ap-20,  -0x1.d955ea11805d6p-26,
    -0x1.07b8741cad2d4p-22, 0x1.1a747a8803439p-23,  -0x1.65b117ee715fdp-26, -0x1.0691b4b4cc513p-26,
    0x1.06b9095521510p-27};

// the same in sqrt(w) - 5, sqrt(w) from 4 to 6.05; error 2^-55.1.
inline constexpr double erfinvTail64[] = {
    0x1.3664ddd1ad7fbp+2,  0x1.02a30d1fba10ep+0,   -0x1.22ea5df1c2430p-13, -0x1.c2f36aa29507ap-13,
    0x1.3ebf4ef8c356bp-14, -0x1.4a348f9fe59d3p-16, 0x1.2fbcff374140ep-18,  -0x1.0a9081e6fae9ep-20,
    0x1.ebe1ebf30673cp-23, -0x1.2224224c34a64p-24, 0x1.f2a7282578ac4p-26,  -0x1.0629fbf35949fp-26,
    0x1.0c52b5c79527fp-27, -0x1.dc55eb2107dccp-29, 0x1.6d39b074262d4p-30,  -0x1.e4bbb296790c5p-32,
    0x1.12ea371271136p-34, 0x1.80278a3636bc4p-35,  -0x1.4a1aacb94aa06p-36};

// log gamma(y) / ((y - 1) (y - 2)) in t = (y - 2) / (y + 2) for y from 1 to 4.5; error 2^-55.5.
inline constexpr double logGammaNear64[] = {
    0x1.b0ee6072093cep-2, -0x1.9ae6509ea109dp-2, 0x1.0265d68d0b37ep-3, -0x1.1ca03a931b058p-3,
    0x1.53b6dbff3df5cp-4, -0x1.64fe196dc77abp-4, 0x1.fe8d46648206cp-5, -0x1.069555758e66ep-4,
    0x1.990debccdf2ebp-5, -0x1.a06e2f919ca57p-5, 0x1.551e54e9e702cp-5, -0x1.5959cc92ab77ap-5,
    0x1.2482849c07fdfp-5, -0x1.26f14753c3408p-5, 0x1.fefea88d35e28p-6, -0x1.039212ac68b93p-5,
    0x1.d1e06c7c411aep-6, -0x1.b461b2fe182cap-6, 0x1.4f034abe286d2p-6, -0x1.ccb21106525cdp-6,
    0x1.4319616caefd5p-5, -0x1.b9627d324e910p-6};

// what Stirling's formula lacks, times y, in 1 / y^2 for y >= 4.5; error of log gamma; error
// 2^-60.5.
inline constexpr double logGammaFar64[] = {
    0x1.55555555554a6p-4,  -0x1.6c16c16909e6cp-9,  0x1.a019f7d25100fp-11, -0x1.380f8c850b1dcp-11,
    0x1.b867eef145948p-11, -0x1.e63f14432fec4p-10, 0x1.4864c815e1d08p-8,  -0x1.470f567581814p-7};

// digamma(y) / (y - root) in t = (y - 2) / (y + 2) for y from 1 to 3; error 2^-53.0.
inline constexpr double digammaNear64[] = {
    0x1.9213d46736ba4p-1, -0x1.0aff270ca07afp+0, 0x1.66ef16c22f23ep-1,  -0x1.73d3b5510244bp-1,
    0x1.5b02757a35e73p-1, -0x1.63dfe91c03b46p-1, 0x1.5b84ca1e0abdcp-1,  -0x1.60c6ee06aa3bap-1,
    0x1.5c821491e6774p-1, -0x1.5fc4bef680cd1p-1, 0x1.5d1a964a92a62p-1,  -0x1.5f2ae8d41b479p-1,
    0x1.5dc163bea7f0fp-1, -0x1.61a49774d7f30p-1, 0x1.536d1e596ba25p-1,  -0x1.44f5641b1e0fep-1,
    0x1.020b3d9f2ad62p+0, -0x1.4125840c99fb5p-1, -0x1.53fce569bfae2p+0, -0x1.06815165be9f6p+2};

// (log(y) - 1 / (2 y) - digamma(y)) y^2 in 1 / y^2 for y >= 3; error of digamma; error 2^-60.1.
inline constexpr double digammaFar64[] = {
    0x1.555555555543bp-4, -0x1.1111110fd6c08p-7, 0x1.04103f06fae9fp-8, -0x1.11103bb82b4b8p-8,
    0x1.f046237043937p-8, -0x1.5755779f65f97p-6, 0x1.448d5bb6d83e7p-4, -0x1.6a426b9e00668p-2,
    0x1.8c5f7bba64714p+0, -0x1.604e42fb87de6p+2, 0x1.a2584ba5a9793p+3, -0x1.dd88a955ff1a9p+3};

// pi r cot(pi r) in r^2 for |r| <= 1/2; absolute error; error 2^-53.8.
inline constexpr double piCotangent64[] = {
    0x1.0000000000000p+0,  -0x1.a51a662530753p+1, -0x1.151322ac86b58p+1, -0x1.04709847e2022p+1,
    -0x1.010b37aabf0cdp+1, -0x1.00410a85bea93p+1, -0x1.00136cf101e18p+1, -0x1.ff9d6be1d085ap+0,
    -0x1.025e610ea36d1p+1, -0x1.d9bc9a78afaabp+0, -0x1.6e4f0c54d5109p+1, 0x1.7cef616370c0bp+0,
    -0x1.7180dbb4373bap+3, 0x1.c99b55e3dc9bbp+3,  -0x1.02d4e75e406d2p+4};

// sin(pi r) / (pi r) in r^2 for |r| <= 1/2; error 2^-61.3.
inline constexpr double sinePi64[] = {
    0x1.0000000000000p+0,  -0x1.a51a6625307d3p+0,  0x1.9f9cb402bc429p-1,
    -0x1.86a8e4720a1dbp-3, 0x1.ac6805cc899acp-6,   -0x1.33816997b9bfep-9,
    0x1.3746a183e75e8p-13, -0x1.d3e6a3434868ap-18, 0x1.074368ad47ba0p-22};

// I0(a) in a^2 for a from 0 to 8; error 2^-30.9.
inline constexpr double besselI0Small32[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p-2,  0x1.0000000000000p-6,  0x1.c71c6a0000000p-12,
    0x1.c71d320000000p-18, 0x1.233e500000000p-24, 0x1.032ce20000000p-31, 0x1.4f386a0000000p-39,
    0x1.65429e0000000p-47, 0x1.877cf80000000p-56, 0x1.3556b00000000p-63};

// exp(-a) I0(a) sqrt(a) in 16 / a - 1 for a >= 8; error 2^-24.5.
inline constexpr double besselI0Large32[] = {0x1.9bd4280000000p-2,  0x1.b8799e0000000p-9,
                                             0x1.1d8a8c0000000p-13, 0x1.748ad20000000p-17,
                                             0x1.b7d29c0000000p-20, 0x1.8d91cc0000000p-22};

// I0(a) in a^2 for a from 0 to 8; error 2^-58.9.
inline constexpr double besselI0Small64[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p-2,  0x1.ffffffffffffcp-7,   0x1.c71c71c71c7bdp-12,
    0x1.c71c71c71b3f4p-18, 0x1.23456789bf099p-24, 0x1.02e85c07230b6p-31,  0x1.522a441b65af4p-39,
    0x1.522a4171a4579p-47, 0x1.0b315164e8e26p-55, 0x1.55ff6bdbe9d1bp-64,  0x1.69e51ea7cee71p-73,
    0x1.40aba101890a2p-82, 0x1.f278431cf5365p-92, 0x1.10e6617c5ae1cp-101, 0x1.1c5c6a718d30bp-110};

// exp(-a) I0(a) sqrt(a) in 16 / a - 1 for a >= 8; error 2^-53.8.
inline constexpr double besselI0Large64[] = {
    0x1.9bd428ad249a5p-2,   0x1.b87969bb93b64p-9,  0x1.1daa72b5d31b0p-13,  0x1.75e5ee724f63bp-17,
    0x1.8e513bf0cefaep-20,  0x1.3f49a573716a4p-22, 0x1.7d0d4a68a2e58p-24,  0x1.51cf56c426601p-25,
    0x1.72799f30ee8d2p-26,  0x1.037beebace523p-27, -0x1.d61d4225ed4c9p-28, -0x1.cc5931d692c2fp-27,
    -0x1.5be128b1c13f1p-28, 0x1.0284982b4a4e0p-27, 0x1.c5ef29731ee37p-28,  -0x1.db1dc5abde010p-29,
    -0x1.3e334b9030e9cp-28, 0x1.92d79f158a888p-30, 0x1.3396bb09ec39ep-29,  -0x1.254d2abdfe462p-31,
    -0x1.763ccc06f8f86p-31, 0x1.2eb558b005e0ep-33, 0x1.a9e01ce3ecfefp-34,  -0x1.366d7fea34a12p-36};

// I1(a) / a in a^2 for a from 0 to 8; error 2^-32.4.
inline constexpr double besselI1Small32[] = {
    0x1.0000000000000p-1,  0x1.0000000000000p-4,  0x1.5555560000000p-9,  0x1.c71c5a0000000p-15,
    0x1.6c17f40000000p-21, 0x1.844d200000000p-28, 0x1.2855aa0000000p-35, 0x1.4e4b5a0000000p-43,
    0x1.4153ce0000000p-51, 0x1.2898ec0000000p-60, 0x1.d13e420000000p-68};

// exp(-a) I1(a) sqrt(a) in 16 / a - 1 for a >= 8; error 2^-26.4.
inline constexpr double besselI1Large32[] = {0x1.8ebe780000000p-2,   -0x1.3f79720000000p-7,
                                             -0x1.cba1680000000p-13, -0x1.f700360000000p-17,
                                             -0x1.0da22c0000000p-19, -0x1.cf8f200000000p-22};

// I1(a) / a in a^2 for a from 0 to 8; error 2^-57.7.
inline constexpr double besselI1Small64[] = {
    0x1.0000000000000p-1,  0x1.0000000000000p-4,  0x1.5555555555555p-9,   0x1.c71c71c71c73ep-15,
    0x1.6c16c16c167b9p-21, 0x1.845c8a0cee28fp-28, 0x1.27e4fb76d6fabp-35,  0x1.522a44082359cp-43,
    0x1.2c9757a5e7a8bp-51, 0x1.ab8207e91fa5fp-60, 0x1.f17496bba64c9p-69,  0x1.e27c820688219p-78,
    0x1.8af0a2c9dd9b9p-87, 0x1.1baa61210ce5ep-96, 0x1.2925fe1fb20a5p-106, 0x1.156210a9716afp-115};

// exp(-a) I1(a) sqrt(a) in 16 / a - 1 for a >= 8; error 2^-54.1.
inline constexpr double besselI1Large64[] = {
    0x1.8ebe783a84030p-2,   -0x1.3f796198ee627p-7,  -0x1.cbc54df1d8d66p-13, -0x1.f89c230692492p-17,
    -0x1.ec8e11ff1a251p-20, -0x1.76137deb1d4c8p-22, -0x1.ad8b73fb74958p-24, -0x1.727aa3ff5239bp-25,
    -0x1.91d97ca0ff88bp-26, -0x1.21844549b0384p-27, 0x1.d579f2abf5256p-28,  0x1.e1f9c3b449679p-27,
    0x1.820dd9069d595p-28,  -0x1.05fb04f1bfe43p-27, -0x1.e3155eb8517d9p-28, 0x1.d2c8d7712b59dp-29,
    0x1.4e6487cd48768p-28,  -0x1.82703843c4b46p-30, -0x1.4168d44303479p-29, 0x1.16ad2a2a8a2adp-31,
    0x1.85f217c3aa46cp-31,  -0x1.2090174fffe9ap-33, -0x1.bb114ea74dc05p-34, 0x1.2b08fe7227cabp-36};

// 2 / pi in words of 32 bits after one word of zeros, most significant first.
inline constexpr unsigned twoOverPi[] = {
    0x0,        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x6492eea,  0x9d1921c,  0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

} // namespace keratin::codegen::coefficients

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H
