// Mathematical functions in double, accurate to 1e-13 of the result and identical on every machine: nothing calls libm.
#pragma once

#include <cstddef>

namespace npu_emu::functions {

double exponential(double x);
// e^x as e^floor(x) times the Taylor series of the rest up to the power `terms`.
double exponentialByTaylor(double x, int terms);
double logarithm(double x);
double power(double base, double exponent);

// Of n elements in place, to the same bits: several are computed at once.
void eachExponentialByTaylor(double* x, size_t n, int terms);
void eachLogarithm(double* x, size_t n);
void eachSine(double* x, size_t n);
void eachCosine(double* x, size_t n);
void eachTangent(double* x, size_t n);
void eachArcsine(double* x, size_t n);
void eachArccosine(double* x, size_t n);
void eachArctangent(double* x, size_t n);
void eachHyperbolicSine(double* x, size_t n);
void eachHyperbolicCosine(double* x, size_t n);
void eachHyperbolicTangent(double* x, size_t n);

// Arguments up to 2^20 in magnitude; NaN beyond.
double sine(double x);
double cosine(double x);
double tangent(double x);
double arcsine(double x);
double arccosine(double x);
double arctangent(double x);

double hyperbolicSine(double x);
double hyperbolicCosine(double x);
double hyperbolicTangent(double x);
double inverseHyperbolicSine(double x);
double inverseHyperbolicCosine(double x);
double inverseHyperbolicTangent(double x);

double errorFunction(double x);
// Loses accuracy where x * x is not exact, which it is for floats.
double complementaryErrorFunction(double x);
// The logarithm of the magnitude of the gamma function, and the derivative of that logarithm. Near their zeros at negative
// arguments the error is 1e-14 absolute.
double logGamma(double x);
double digamma(double x);

}  // namespace npu_emu::functions
