import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import { Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { type FreshDatabase, freshDatabase } from '../helpers/postgres.js';
import { endProcesses, newFolder } from '../helpers/process.js';

let postgres: FreshDatabase;
beforeAll(async () => {
  postgres = await freshDatabase();
});
afterAll(async () => {
  await postgres.drop();
  await endProcesses();
});

describe.each([
  ['a file', () => `file:${newFolder()}/signalbox.db`],
  ['PostgreSQL', () => postgres.url],
] as const)('two gateways on %s', (_kind, urlOf) => {
  let gateways: [RunningGateway, RunningGateway];
  let admin: Browser;
  const visitor = (which: 0 | 1, address: string): Browser =>
    new Browser(gateways[which].url, { 'x-forwarded-for': address });
  beforeAll(async () => {
    const config = { database: { url: urlOf() }, auth: { trustedProxies: 1 } };
    gateways = [await startGateway(config), await startGateway(config)];
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

  it('have one administrator, however many claim both at once', async () => {
    const code = await gateways[0].claimCode();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        visitor(index % 2 === 0 ? 0 : 1, `198.51.100.${index}`).ask('POST', '/api/v1/auth/claim', {
          code,
          email: `p${index}@example.org`,
          password: goodPassword,
        }),
      ),
    );
    expect(claims.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    const { json } = claims.find(({ status }) => status === 201)!;
    admin = visitor(1, '198.51.100.1');
    expect((await admin.signIn(textAt(json, 'email'), goodPassword)).json).toMatchObject({
      account: { id: firstAccountId, role: 'admin' },
    });
  });

  it("know each other's browsers, and forget them together", async () => {
    const ada = await signedUp(gateways[0].url, 'ada@example.org');
    const elsewhere = new Browser(gateways[1].url);
    [elsewhere.cookie, elsewhere.csrfToken] = [ada.cookie, ada.csrfToken];
    expect((await elsewhere.account()).json).toMatchObject({
      account: { email: 'ada@example.org' },
    });
    expect((await elsewhere.ask('POST', '/api/v1/auth/sign-out')).status).toBe(204);
    expect((await ada.account()).status).toBe(401);
  });

  it('disable an account for both', async () => {
    const bob = await signedUp(gateways[1].url, 'bob@example.org');
    const id = textAt((await bob.account()).json, 'account', 'id');
    expect((await admin.ask('PATCH', `/api/v1/accounts/${id}`, { disabled: true })).status).toBe(
      200,
    );
    expect((await bob.account()).status).toBe(401);
  });

  it('take a reset link once, wherever it is used', async () => {
    const carol = await signedUp(gateways[1].url, 'carol@example.org');
    const id = textAt((await carol.account()).json, 'account', 'id');
    const { json } = await admin.ask('POST', `/api/v1/accounts/${id}/reset-link`);
    const uses = Array.from({ length: 8 }, (_, index) =>
      visitor(index % 2 === 0 ? 0 : 1, `192.0.2.${100 + index}`).ask(
        'POST',
        '/api/v1/auth/password-reset/complete',
        { token: textAt(json, 'token'), password: `password of visitor ${index}` },
      ),
    );
    expect((await Promise.all(uses)).map(({ status }) => status).sort()).toEqual([
      204, 422, 422, 422, 422, 422, 422, 422,
    ]);
  });
});
