import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const loader = new URL('../typescript.mjs', import.meta.url).href;

/** How a run of the laboratory ended. */
export interface LabRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the laboratory as `npm run lab -- <args>` does, but in `folder`. */
export function runLab(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<LabRun> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', loader, main, ...args],
      { cwd: folder, env: { PATH: process.env.PATH, ...env }, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, stdout, stderr });
      },
    );
  });
}

const folders: string[] = [];

/** A new temporary folder, removed by `removeFolders`. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-lab-'));
  folders.push(folder);
  return folder;
}

/** Removes the temporary folders. For `afterEach`. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
