import type { Finding } from './problem.js';
import type { ConfigInput } from './config-input.js';
import { aliasTargets } from './fill.js';

/**
 * Aliases whose targets are neither labels nor other aliases, that stand for themselves, or whose
 * wildcards do not match those of their targets.
 */
export function aliasFindings({ aliases = {} }: Pick<ConfigInput, 'aliases'>): Finding[] {
  const all = aliasTargets(aliases);
  return Object.entries(all).flatMap(([name, targets]) => {
    const reason =
      firstProblem(name, targets, all) ?? (isCircular(name, all) ? 'stands for itself' : null);
    return reason === null ? [] : [{ path: ['aliases', name], reason }];
  });
}

/** The target is told by its place: somebody may have put a key there. */
function firstProblem(
  name: string,
  targets: readonly string[],
  all: Readonly<Record<string, readonly string[]>>,
): string | null {
  const problems = targets.map((target) => targetProblem(name, target, all));
  const place = problems.findIndex((problem) => problem !== null);
  if (place < 0) return null;
  return `${targets.length > 1 ? `target ${place + 1}` : 'the target'} ${problems[place]}`;
}

function targetProblem(
  name: string,
  target: string,
  all: Readonly<Record<string, readonly string[]>>,
): string | null {
  if (target.split('*').length > 2) return 'may have one * at most';
  if (target.includes('*') && !name.includes('*')) return 'has a *, but the alias itself has none';
  if (/^[^/]+\/./.test(target)) return null;
  if (target.includes('*')) return 'must have the form <provider>/<model>';
  return Object.hasOwn(all, target)
    ? null
    : 'must have the form <provider>/<model>, or be another alias';
}

/** Whether following the targets without a slash comes back to the name. */
function isCircular(name: string, all: Readonly<Record<string, readonly string[]>>): boolean {
  const seen = new Set<string>();
  const queue = [...(all[name] ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === name) return true;
    if (seen.has(next) || next.includes('/')) continue;
    seen.add(next);
    queue.push(...(all[next] ?? []));
  }
  return false;
}
