import { describe, expect, it } from 'vitest';
import { writeAct } from '../../src/accounts/write-act.js';
import type { AuditRow, AuditStore } from '../../src/store/contracts/audit.js';

describe('acts that are recorded one after the other', () => {
  it('have rising times, also within one millisecond', async () => {
    const rows: AuditRow[] = [];
    const audit = { add: (row: AuditRow) => Promise.resolve(void rows.push(row)) };
    const store = { audit: audit as AuditStore };
    const actor = { actor: 'host', actorAccountId: null, actorKeyId: null, address: null };
    for (let count = 0; count < 200; count++)
      await writeAct(
        () => Promise.resolve(store),
        actor,
        { act: 'key.change' },
        () => {},
      );
    const times = rows.map(({ at }) => at);
    expect(times).toHaveLength(200);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });
});
