import { table } from './is-object.js';

const entities: Readonly<Record<string, string>> = table({
  amp: '&',
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  commat: '@',
  num: '#',
  quest: '?',
  equals: '=',
  percnt: '%',
  lowbar: '_',
  lpar: '(',
  rpar: ')',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  Tab: '\t',
  NewLine: '\n',
  nbsp: '\u00a0',
});

/** A text with the character references of HTML that links and search results use, decoded. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{1,8}));/gi,
    (entity, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? entity;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
