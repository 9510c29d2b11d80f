import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file as a whole: whoever reads it meanwhile sees the one that was there. Its folder is made. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, content);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** What stands between `<!-- name -->` and `<!-- /name -->` in a text, replaced. @throws Error where the marks are not there */
export function withSection(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open),
    to = text.indexOf(close);
  if (from < 0 || to < from)
    throw new Error(`there is no place for it between ${open} and ${close}`);
  return `${text.slice(0, from + open.length)}\n${content.trim()}\n${text.slice(to)}`;
}

/** Replaces a section of a markdown file. @throws Error that names the file where it is missing or has no such section */
export async function writeSection(file: string, name: string, content: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`${file} cannot be read`, { cause: error });
  });
  try {
    await writeWhole(file, withSection(text, name, content));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
