import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
  engines?: { node?: string };
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>;
};
const all = Object.entries(lock.packages).filter(([path]) => path !== '');
const production = all.filter(([, { dev }]) => !dev);

/** Licences that ask only for a notice. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
]);

/** Whether an SPDX expression can be kept with allowed licences: one of an OR, all of an AND. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence.trim())));

/** The oldest Node that package.json promises. */
const oldest = [20, 19, 0];

/** Whether `oldest` is in a range of versions. Forms that no package has written yet are not. */
const takesOldest = (range: string): boolean =>
  range.split('||').some((choice) =>
    choice
      .replace(/(>=|\^)\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .every((comparator) => {
        const [, sign, numbers] = /^(>=|\^|)(\d+(?:\.\d+)*)(?:\.x)*$/.exec(comparator) ?? [];
        if (numbers === undefined) return comparator === '*';
        const asked = numbers.split('.').map(Number);
        const compared = asked.map((number, at) => Math.sign(oldest[at]! - number));
        const first = compared.find((sides) => sides !== 0) ?? 0;
        return sign === '' ? first === 0 : first >= 0 && (sign === '>=' || compared[0] === 0);
      }),
  );

/** Optional packages that need a newer Node: npm leaves them out without a word. */
const leftOut: Record<string, string> = {
  'node_modules/@napi-rs/lzma-linux-x64-gnu':
    'one release of rollup names it, and no code of rollup loads it',
};

describe('all packages', () => {
  it('run with the oldest Node that this package promises', () => {
    const { engines } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as { engines: { node: string } };
    expect(engines.node).toBe('>=20.19');
    const refuse = all.filter(
      ([path, { engines, optional }]) =>
        !takesOldest(engines?.node ?? '*') && !(optional && path in leftOut),
    );
    expect(refuse.map(([path, { engines }]) => `${path}: ${engines?.node ?? ''}`)).toEqual([]);
  });
});

describe('the packages that a production install brings', () => {
  it('have licences that ask only for a notice', () => {
    expect(production.length).toBeGreaterThan(50);
    const others = production.filter(([, { license = '' }]) => !isAllowed(license));
    expect(others.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([]);
  });

  it('run no scripts when they are installed', () => {
    expect(production.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  it('are the bytes that were checked in, like all others', () => {
    expect(all.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  it('contain nothing that only tests and builds need', () => {
    const names = production.map(([path]) => path.replace(/^.*node_modules\//, ''));
    for (const tool of ['typescript', 'vitest', 'vite', 'eslint', 'prettier', 'esbuild'])
      expect(names).not.toContain(tool);
  });
});
