import { abilities } from './ability-table.js';
import { parametersInName } from './model-name.js';
import { compileRules } from './model-rules.js';

const find = compileRules(abilities);

/** The ability of a known family, by canonical name; null for a model that nobody measured. */
export function knownAbility(canonicalName: string): number | null {
  return find(canonicalName);
}

const small = /(?<![a-z])(?:nano|mini|tiny|lite|small|micro|air|flash|instant)(?![a-z])/;
const large = /(?<![a-z])(?:large|max|ultra|pro|plus|opus|premier|heavy)(?![a-z])/;
const clamp = (value: number): number => Math.min(0.7, Math.max(0.2, value));

/**
 * A guess for a model that nobody measured, 0.2..0.7: the larger and, gently, the dearer the better.
 * @param price blended, USD per million tokens, where it is known
 */
export function guessedAbility(model: string, price: number | null): number {
  const billions = parametersInName(model);
  if (billions !== null && billions > 0) return clamp(0.29 + 0.13 * Math.log10(billions));
  const name = model.toLowerCase();
  const bySize = small.test(name) ? -0.08 : large.test(name) ? 0.06 : 0;
  const byPrice =
    price !== null && price > 0 ? 0.06 * Math.log10(Math.min(100, Math.max(0.01, price))) : -0.02;
  return clamp(0.5 + bySize + byPrice);
}
