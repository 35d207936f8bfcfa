// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A syntactic walk in evaluation order. Functions defined in a block count as reads of what they mention.
#include "dialect/Frontend/Liveness.h"

#include "llvm/ADT/STLExtras.h"

using namespace helion::frontend;

static bool mentions(const Expr *expr, llvm::StringRef name);

static bool mentions(const Statements &block, llvm::StringRef name) {
  return llvm::any_of(block, [&](const std::unique_ptr<Stmt> &s) {
    return mentions(s->value.get(), name) || mentions(s->body, name) || mentions(s->orElse, name) ||
           (s->function && mentions(s->function->body, name)) ||
           llvm::any_of(s->targets, [&](const ExprPtr &t) { return mentions(t.get(), name); });
  });
}

static bool mentions(const Expr *expr, llvm::StringRef name) {
  if (!expr)
    return false;
  if (expr->kind == ExprKind::Name)
    return expr->name == name;
  return llvm::any_of(expr->operands, [&](const ExprPtr &e) { return mentions(e.get(), name); }) ||
         llvm::any_of(expr->keywords, [&](const Keyword &keyword) { return mentions(keyword.value.get(), name); }) ||
         (expr->function && mentions(expr->function->body, name));
}

// A target that is a name writes it; `x[i] = ..` reads x and i.
static FirstUse targetUse(const Expr *target, llvm::StringRef name) {
  if (target->kind == ExprKind::Name)
    return target->name == name ? FirstUse::Write : FirstUse::None;
  if (target->kind != ExprKind::Sequence && target->kind != ExprKind::Starred)
    return mentions(target, name) ? FirstUse::Read : FirstUse::None;
  for (const ExprPtr &item : target->operands)
    if (FirstUse use = targetUse(item.get(), name); use != FirstUse::None)
      return use;
  return FirstUse::None;
}

static FirstUse ifUse(const Stmt &s, llvm::StringRef name) {
  FirstUse then = firstUse(s.body, name), otherwise = firstUse(s.orElse, name);
  if (then == FirstUse::Read || otherwise == FirstUse::Read)
    return FirstUse::Read;
  return then == otherwise ? then : FirstUse::None;
}

static FirstUse statementUse(const Stmt &s, llvm::StringRef name) {
  if (mentions(s.value.get(), name) || (s.function && mentions(s.function->body, name)))
    return FirstUse::Read;
  if (s.kind == StmtKind::If)
    return ifUse(s, name);
  if (s.kind == StmtKind::For) // may run no iteration, so its writes are no certainty
    return targetUse(s.targets.front().get(), name) != FirstUse::Write && firstUse(s.body, name) == FirstUse::Read
               ? FirstUse::Read
               : FirstUse::None;
  if (s.kind == StmtKind::AugmentedAssign)
    return mentions(s.targets.front().get(), name) ? FirstUse::Read : FirstUse::None;
  for (const ExprPtr &target : s.targets)
    if (FirstUse use = targetUse(target.get(), name); use != FirstUse::None)
      return use;
  return FirstUse::None;
}

FirstUse helion::frontend::firstUse(llvm::ArrayRef<std::unique_ptr<Stmt>> statements, llvm::StringRef name) {
  for (const std::unique_ptr<Stmt> &s : statements)
    if (FirstUse use = statementUse(*s, name); use != FirstUse::None)
      return use;
  return FirstUse::None;
}

static void addTargets(const Expr *target, llvm::SetVector<llvm::StringRef> &into) {
  if (target->kind == ExprKind::Name)
    into.insert(target->name);
  if (target->kind == ExprKind::Sequence || target->kind == ExprKind::Starred)
    for (const ExprPtr &item : target->operands)
      addTargets(item.get(), into);
}

static void addAssigned(const Statements &block, llvm::SetVector<llvm::StringRef> &into) {
  for (const std::unique_ptr<Stmt> &s : block) {
    if (s->kind == StmtKind::Assign || s->kind == StmtKind::AugmentedAssign || s->kind == StmtKind::For)
      for (const ExprPtr &target : s->targets)
        addTargets(target.get(), into);
    addAssigned(s->body, into);
    addAssigned(s->orElse, into);
  }
}

llvm::SetVector<llvm::StringRef> helion::frontend::assignedNames(const Statements &block) {
  llvm::SetVector<llvm::StringRef> names;
  addAssigned(block, names);
  return names;
}
