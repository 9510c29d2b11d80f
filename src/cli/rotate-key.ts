import { maxOverlapSeconds, rotateKey } from '../accounts/rotate-key.js';
import type { Store } from '../store/contracts/store.js';
import { keyNamed } from './keys.js';
import { recordAct } from './record-act.js';

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * `signalbox keys rotate <id or prefix>`: prints the new secret on its own line.
 * @param overlap how long the old secret works, such as `24h`
 * @param say tells a person when that ends, apart from the output
 * @throws Error if no key or several keys match, or the overlap is wrong
 */
export async function rotateKeyCommand(
  store: Store,
  named: string,
  overlap: string,
  say: (line: string) => void = sayAtTerminal,
): Promise<string> {
  const overlapSeconds = secondsOf(overlap);
  const { id, accountId } = await keyNamed(store, named);
  const { key } = await rotateKey(store, { id, accountId: null, overlapSeconds });
  await recordAct(store, { act: 'key.rotate', accountId, target: id, details: { overlapSeconds } });
  const end = new Date(Date.now() + overlapSeconds * 1_000).toISOString().slice(0, 19);
  say(`the old secret ${overlapSeconds === 0 ? 'works no longer' : `works until ${end}Z`}`);
  return `${key}\n`;
}

function sayAtTerminal(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
}

function secondsOf(text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,7})([smhd])?$/.exec(text) ?? [];
  const span = Number(digits) * (seconds[unit] ?? NaN);
  // a number that has no unit could mean anything, except 0
  if (!(span >= 0 && span <= maxOverlapSeconds) || (span > 0 && /\d$/.test(text)))
    throw new Error(
      `--overlap: must be a time such as 90s, 30m, 24h or 7d, at most ${maxOverlapSeconds / 86_400}d`,
    );
  return span;
}
