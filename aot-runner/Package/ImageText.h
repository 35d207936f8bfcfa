// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a package keeps the code of its variants, and how a GPU's becomes bytes of the library: a cubin, and beside it
// PTX of the same code where newer devices run that. Which of them a device gets is decided when it calls first.
#ifndef HELION_AOT_RUNNER_PACKAGE_IMAGETEXT_H
#define HELION_AOT_RUNNER_PACKAGE_IMAGETEXT_H

#include "aot-runner/Package/PackageSpec.h"
#include "aot-runner/Package/Template.h"

namespace helion {

/// An object is named after its first kernel; variants that differ in nothing but the launch share it. Empty where
/// nothing is launched. What a GPU's driver takes is a cubin or PTX.
std::string objectPath(const PackageVariant &variant);
/// Empty where there is no PTX behind a cubin.
std::string textPath(const PackageVariant &variant);
/// All files of a GPU's variant.
std::vector<std::string> imagePaths(const PackageVariant &variant);

/// `nvidia:sm_90a`, and where there is PTX `PTX of nvidia:sm_80`.
std::vector<std::string> heldForms(const PackageSpec &spec);

/// Values of the places in the_kernel.cpp that are about a GPU's kernels.
void addLoadedKernels(const PackageSpec &spec, TemplateValues &values);
/// images.S: the images as bytes of the program; a 0 ends those that are text.
std::string imagesText(const PackageSpec &spec, llvm::StringRef banner);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_IMAGETEXT_H
