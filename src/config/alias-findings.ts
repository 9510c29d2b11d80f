import type { Finding } from './findings.js';
import { aliasTargets } from './fill.js';
import type { WrittenConfig } from './shape.js';

/**
 * Aliases whose targets are neither labels nor other aliases, that stand for themselves, or whose
 * wildcards do not match those of their targets.
 */
export function aliasFindings({ aliases = {} }: WrittenConfig): Finding[] {
  const all = aliasTargets(aliases);
  return Object.entries(all).flatMap(([name, targets]) => {
    const reason =
      targets.map((target) => targetProblem(name, target, all)).find((found) => found !== null) ??
      (isCircular(name, all) ? 'stands for itself' : null);
    return reason === null ? [] : [{ path: ['aliases', name], reason }];
  });
}

function targetProblem(
  name: string,
  target: string,
  all: Readonly<Record<string, readonly string[]>>,
): string | null {
  const shown = JSON.stringify(target);
  if (target.split('*').length > 2) return `${shown} may have one * at most`;
  if (target.includes('*') && !name.includes('*'))
    return `${shown} has a *, but the alias itself has none`;
  if (/^[^/]+\/./.test(target)) return null;
  if (target.includes('*')) return `${shown} must have the form <provider>/<model>`;
  return Object.hasOwn(all, target)
    ? null
    : `${shown} must have the form <provider>/<model>, or be another alias`;
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
