import { describe, expect, it } from 'vitest';
import { errorShare } from '../../src/dashboard/format/outcomes.js';

describe('the share of calls that failed', () => {
  it('is unknown before the first call', () => {
    expect(errorShare(null)).toBeNull();
    expect(errorShare({ attempts: 0, failures: 0 })).toBeNull();
    expect(errorShare({ attempts: 4, failures: 1 })).toBe(0.25);
  });
});
