// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places, repeated parts (nested, empty), the kernel's name, and what is refused.
#include "aot-runner/Package/Template.h"
#include "gtest/gtest.h"

using namespace helion;

static std::string fill(llvm::StringRef text, const TemplateValues &values) {
  llvm::Expected<std::string> filled = fillTemplate(text, values, "add");
  return filled ? *filled : "error: " + toString(filled.takeError());
}

TEST(Template, Places) {
  TemplateValues values;
  values.texts = {{"x", "1"}, {"y", "the_kernel"}};
  EXPECT_EQ(fill("a /*{x*/ 0 /*}*/ b /*{y*//*}*/", values), "a 1 b the_kernel");
  EXPECT_EQ(fill("a #[[{x]]0#[[}]] b", values), "a 1 b");
  EXPECT_EQ(fill("the_kernel(THE_KERNEL_MAX)", values), "add(ADD_MAX)");
  EXPECT_EQ(fill("// about the template\n// more\n\n/* kept */", values), "/* kept */");
}

TEST(Template, RepeatedParts) {
  TemplateValues values, one, two;
  one.texts = {{"n", "1"}};
  one.lists["inner"] = {};
  two.texts = {{"n", "2"}};
  two.lists["inner"] = {{{{"m", "x"}}, {}}, {{{"m", "y"}}, {}}};
  values.lists["outer"] = {one, two};
  const char *text = "[/*{each outer*/(/*{n*/0/*}*//*{each inner*/ /*{m*/z/*}*//*}*/)/*}*/]";
  EXPECT_EQ(fill(text, values), "[(1)(2 x y)]");
  values.lists["outer"] = {};
  EXPECT_EQ(fill(text, values), "[]");
}

TEST(Template, Refuses) {
  TemplateValues values;
  values.texts = {{"x", "1"}};
  values.lists["l"] = {values};
  EXPECT_EQ(fill("/*{z*/0/*}*/", values), "error: the template's place `z` has no value");
  EXPECT_EQ(fill("/*{each z*/0/*}*/", values), "error: the template's part `z` has no list");
  EXPECT_EQ(fill("/*{x*/0", values), "error: the template's place `x` has no end");
  EXPECT_EQ(fill("/*{each l*/0", values), "error: a repeated part of the template has no end");
  EXPECT_EQ(fill("0/*}*/", values), "error: the template ends a part that it did not begin");
}
