import { describe, expect, it } from 'vitest';
import { threadOptions } from '../../src/async/thread-options.js';

describe('a thread', () => {
  it('takes over how modules are loaded, and nothing else', () => {
    const options = ['--import', 'a.mjs', '--max-old-space-size=9', '--require=b.cjs', '-C', 'dev'];
    expect(threadOptions([...options, '--input-type=module', '-e', '1'])).toEqual([
      '--import',
      'a.mjs',
      '--require=b.cjs',
      '-C',
      'dev',
    ]);
  });
});
