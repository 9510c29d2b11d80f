import { describe, expect, it } from 'vitest';
import { withTimeout } from '../../src/async/with-timeout.js';

const never = new Promise<string>(() => undefined);
const rejectsIn = (ms: number): Promise<string> =>
  new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late failure')), ms));

describe('work with a time limit', () => {
  it('settles as the work does when that is in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), 60_000, () => 'late')).toBe('done');
    await expect(withTimeout(rejectsIn(1), 60_000, () => 'late')).rejects.toThrow('late failure');
  });

  it('settles with what the fallback returns or throws when the work takes longer', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late');
    const fails = withTimeout(never, 1, () => {
      throw new Error('not ready within 1 ms');
    });
    await expect(fails).rejects.toThrow('not ready within 1 ms');
  });

  it('ignores a rejection after the limit', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    expect(await withTimeout(rejectsIn(10), 1, () => 'late')).toBe('late');
    await new Promise((resolve) => setTimeout(resolve, 30));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
