import { deflateSync } from 'node:zlib';

/** A PDF of pages with the given content streams. @param compress deflates them */
export function makePdf(
  contents: readonly (string | Uint8Array)[],
  { compress = false, facts = '' }: { compress?: boolean; facts?: string } = {},
): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const starts: number[] = [];
  const end = (): number => parts.reduce((sum, { length }) => sum + length, 0);
  const add = (object: string | Buffer): void => {
    starts.push(end());
    parts.push(
      Buffer.from(`${starts.length} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    );
  };
  const firstPage = 5;
  const kids = contents.map((_, at) => `${firstPage + 2 * at} 0 R`).join(' ');
  add('<</Type/Catalog/Pages 2 0 R>>');
  add(`<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`);
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
  add(`<<${facts}>>`);
  for (const [at, content] of contents.entries()) {
    const stream = compress ? deflateSync(content) : Buffer.from(content);
    const filter = compress ? '/Filter/FlateDecode' : '';
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents ${firstPage + 1 + 2 * at} 0 R` +
        '/Resources<</Font<</F1 3 0 R>>>>>>',
    );
    add(
      Buffer.concat([
        Buffer.from(`<</Length ${stream.length}${filter}>>\nstream\n`),
        stream,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const [count, at] = [starts.length + 1, end()];
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}` +
        `trailer<</Size ${count}/Root 1 0 R/Info 4 0 R>>\nstartxref\n${at}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}

/** The content of a page with lines of text. */
export const pdfLines = (...lines: readonly string[]): string =>
  `BT /F1 12 Tf 10 280 Td ${lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ')} ET`;
