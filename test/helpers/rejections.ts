import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Asserts after each test of the file that there was no unhandled rejection. */
export function noUnhandledRejections(): void {
  const rejections: unknown[] = [];
  const keep = (reason: unknown): void => void rejections.push(reason);
  beforeAll(() => void process.on('unhandledRejection', keep));
  afterAll(() => void process.off('unhandledRejection', keep));
  afterEach(async () => {
    // Node reports them after the microtasks
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections.splice(0)).toEqual([]);
  });
}
