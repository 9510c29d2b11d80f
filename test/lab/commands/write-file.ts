import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file atomically: a concurrent reader sees the old content or the new one. Creates the
 * folder.
 */
export async function writeAtomically(file: string, content: string | Uint8Array): Promise<void> {
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

/**
 * Replaces what is between `<!-- name -->` and `<!-- /name -->` in a markdown file.
 * @throws Error that names the file if it cannot be read or has no such section
 */
export async function writeSection(file: string, name: string, content: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`cannot read ${file}`, { cause: error });
  });
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < from) throw new Error(`${file} has no section ${open} … ${close}`);
  await writeAtomically(
    file,
    `${text.slice(0, from + open.length)}\n${content.trim()}\n${text.slice(to)}`,
  );
}
