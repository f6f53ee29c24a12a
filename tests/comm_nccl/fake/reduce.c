/* Arithmetic: one operation of a reduction, rounded to the type of the data as NCCL's kernels do at every hop. */
#include <string.h>

#include "communicator.h"

static float half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, mantissa = half & 1023, bits;
    if (exponent == 31)
        bits = sign | 0x7F800000 | mantissa << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    else {
        float value = (float)mantissa * 0x1p-24f; /* subnormal */
        return sign ? -value : value;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* To the nearest, ties to even. */
static uint16_t float_to_half(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7FFFFFFF;
    if (bits > 0x7F800000) return sign | 0x7E00;
    if (bits >= 0x477FF000) return sign | 0x7C00; /* rounds to 65536 or more */
    if (bits < 0x38800000) {                      /* below the least normal number: units of 2^-24 */
        float magnitude;
        memcpy(&magnitude, &bits, sizeof(magnitude));
        float shifted = magnitude + 0.5f; /* the sum's last bit is 2^-24, so that the addition rounds */
        uint32_t sum;
        memcpy(&sum, &shifted, sizeof(sum));
        return (uint16_t)(sign | (sum - 0x3F000000));
    }
    uint32_t odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits - 0x38000000 + 0xFFF + odd) >> 13));
}

static float bfloat_to_float(uint16_t bfloat) {
    uint32_t bits = (uint32_t)bfloat << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t float_to_bfloat(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#define SAME(x) (x)
/* a op b; sums and products of integers wrap around, for which they are done unsigned (`wide`). */
#define COMBINE(storage, value, wide, load, store)                                       \
    {                                                                                    \
        storage *a = accumulator;                                                        \
        const storage *b = values;                                                       \
        for (size_t i = 0; i < count; i++) {                                             \
            value x = load(a[i]), y = load(b[i]);                                        \
            value result = op == ncclProd  ? (value)((wide)x * (wide)y)                  \
                           : op == ncclMax ? (x > y || x != x ? x : y)                   \
                           : op == ncclMin ? (x < y || x != x ? x : y)                   \
                                           : (value)((wide)x + (wide)y);                 \
            a[i] = store(result);                                                        \
        }                                                                                \
        return;                                                                          \
    }

void reduce_into(void *accumulator, const void *values, size_t count, int datatype, int op) {
    switch (datatype) {
    case ncclInt8: COMBINE(int8_t, int8_t, unsigned, SAME, SAME)
    case ncclUint8: COMBINE(uint8_t, uint8_t, unsigned, SAME, SAME)
    case ncclInt32: COMBINE(int32_t, int32_t, uint32_t, SAME, SAME)
    case ncclUint32: COMBINE(uint32_t, uint32_t, uint32_t, SAME, SAME)
    case ncclInt64: COMBINE(int64_t, int64_t, uint64_t, SAME, SAME)
    case ncclUint64: COMBINE(uint64_t, uint64_t, uint64_t, SAME, SAME)
    case ncclFloat16: COMBINE(uint16_t, float, float, half_to_float, float_to_half)
    case ncclFloat32: COMBINE(float, float, float, SAME, SAME)
    case ncclFloat64: COMBINE(double, double, double, SAME, SAME)
    case ncclBfloat16: COMBINE(uint16_t, float, float, bfloat_to_float, float_to_bfloat)
    }
}

#define SCALE(storage, wide, load, store)                                       \
    {                                                                           \
        storage *a = target;                                                    \
        const storage *b = values;                                              \
        for (size_t i = 0; i < count; i++) a[i] = store((wide)load(b[i]) * (wide)scalar); \
        return;                                                                 \
    }

void scale_into(void *target, const void *values, size_t count, int datatype, double scalar) {
    switch (datatype) {
    case ncclInt8: SCALE(int8_t, int64_t, SAME, (int8_t))
    case ncclUint8: SCALE(uint8_t, int64_t, SAME, (uint8_t))
    case ncclInt32: SCALE(int32_t, int64_t, SAME, (int32_t))
    case ncclUint32: SCALE(uint32_t, int64_t, SAME, (uint32_t))
    case ncclInt64: SCALE(int64_t, uint64_t, SAME, (int64_t))
    case ncclUint64: SCALE(uint64_t, uint64_t, SAME, (uint64_t))
    case ncclFloat16: SCALE(uint16_t, float, half_to_float, float_to_half)
    case ncclFloat32: SCALE(float, float, SAME, SAME)
    case ncclFloat64: SCALE(double, double, SAME, SAME)
    case ncclBfloat16: SCALE(uint16_t, float, bfloat_to_float, float_to_bfloat)
    }
}

#define DIVIDE(storage)                                                    \
    {                                                                      \
        storage *a = target;                                               \
        for (size_t i = 0; i < count; i++) a[i] = (storage)(a[i] / divisor); \
        return;                                                            \
    }

void divide(void *target, size_t count, int datatype, int divisor) {
    switch (datatype) {
    case ncclInt8: DIVIDE(int8_t)
    case ncclUint8: DIVIDE(uint8_t)
    case ncclInt32: DIVIDE(int32_t)
    case ncclUint32: {
        uint32_t *a = target;
        for (size_t i = 0; i < count; i++) a[i] /= (uint32_t)divisor;
        return;
    }
    case ncclInt64: DIVIDE(int64_t)
    case ncclUint64: {
        uint64_t *a = target;
        for (size_t i = 0; i < count; i++) a[i] /= (uint64_t)divisor;
        return;
    }
    }
}

double scalar_value(const void *pointer, int datatype) {
    switch (datatype) {
    case ncclInt8: return *(const int8_t *)pointer;
    case ncclUint8: return *(const uint8_t *)pointer;
    case ncclInt32: return *(const int32_t *)pointer;
    case ncclUint32: return *(const uint32_t *)pointer;
    case ncclInt64: return (double)*(const int64_t *)pointer;
    case ncclUint64: return (double)*(const uint64_t *)pointer;
    case ncclFloat16: return half_to_float(*(const uint16_t *)pointer);
    case ncclFloat32: return *(const float *)pointer;
    case ncclFloat64: return *(const double *)pointer;
    default: return bfloat_to_float(*(const uint16_t *)pointer);
    }
}
