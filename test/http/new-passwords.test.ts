import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { type ReceivedMail, type SmtpServer, startSmtp } from '../helpers/smtp.js';
import { type Reply, ask } from '../helpers/sse.js';
import { until } from '../helpers/until.js';

const publicUrl = 'https://llm.example.org';
const newPassword = 'a wholly new password';
let smtp: SmtpServer;
let gateway: RunningGateway;
let visitors = 0;
const mailing = (more: object = {}): Promise<RunningGateway> =>
  startGateway({
    mail: { url: smtp.url, from: 'Signalbox <box@example.org>' },
    publicUrl,
    ...more,
    auth: { trustedProxies: 1 },
  });
const visitor = (url = gateway.url): Browser =>
  new Browser(url, { 'x-forwarded-for': `192.0.2.${++visitors}` });
const complete = (token: string, password = newPassword, browser = visitor()): Promise<Reply> =>
  browser.ask('POST', '/api/v1/auth/password-reset/complete', { token, password });
const requestReset = (email: string, browser = visitor()): Promise<Reply> =>
  browser.ask('POST', '/api/v1/auth/password-reset', { email });

beforeAll(async () => {
  smtp = await startSmtp();
  gateway = await mailing();
});
afterAll(async () => {
  await gateway.close();
  await smtp.close();
});

/** The mails to an address, once there are so many. */
async function mailsTo(email: string, count = 1): Promise<ReceivedMail[]> {
  const found = (): ReceivedMail[] => smtp.mails.filter(({ to }) => to.includes(email));
  await until(() => found().length >= count);
  expect(found()).toHaveLength(count);
  return found();
}

const tokenIn = ({ text }: ReceivedMail): string =>
  /\/reset-password#token=([\w-]{43})\s/.exec(text)?.[1] ?? '';

/** An account whose address has been shown to be its owner's. */
async function member(email: string): Promise<Browser> {
  const browser = visitor();
  await browser.signUp(email, goodPassword);
  const [mail] = await mailsTo(email);
  expect((await complete(tokenIn(mail!), goodPassword)).status).toBe(204);
  expect((await browser.signIn(email, goodPassword)).status).toBe(200);
  return browser;
}

describe('changing a password', () => {
  it('keeps the browser that does it signed in, and signs the others out', async () => {
    const ada = await member('ada@example.org');
    const other = visitor();
    await other.signIn('ada@example.org', goodPassword);
    expect(
      await ada.ask('POST', '/api/v1/auth/password', {
        currentPassword: goodPassword,
        newPassword,
      }),
    ).toMatchObject({ status: 204, text: '' });
    expect((await ada.account()).status).toBe(200);
    expect((await other.account()).status).toBe(401);
    expect((await other.signIn('ada@example.org', goodPassword)).status).toBe(401);
    expect((await other.signIn('ada@example.org', newPassword)).status).toBe(200);
  });

  it('makes the reset links that are still out worthless', async () => {
    const lena = await member('lena@example.org');
    await requestReset('lena@example.org');
    const token = tokenIn((await mailsTo('lena@example.org', 2))[1]!);
    expect(
      (
        await lena.ask('POST', '/api/v1/auth/password', {
          currentPassword: goodPassword,
          newPassword,
        })
      ).status,
    ).toBe(204);
    expect(await complete(token, 'chosen by a thief')).toMatchObject({
      status: 422,
      json: { message: 'token: has been used, has expired or was never issued' },
    });
    expect((await visitor().signIn('lena@example.org', newPassword)).status).toBe(200);
  });

  it('needs the current one', async () => {
    const bob = await member('bob@example.org');
    expect(
      await bob.ask('POST', '/api/v1/auth/password', {
        currentPassword: 'a wrong password',
        newPassword,
      }),
    ).toMatchObject({ status: 403, json: { message: 'currentPassword: is wrong' } });
    expect(
      await bob.ask('POST', '/api/v1/auth/password', {
        currentPassword: goodPassword,
        newPassword: 'seven77',
      }),
    ).toMatchObject({
      status: 422,
      json: { message: 'newPassword: must have at least 8 characters' },
    });
    expect((await visitor().signIn('bob@example.org', goodPassword)).status).toBe(200);
  });

  it('takes a key for administration, and an account that has a password', async () => {
    const carol = await member('carol@example.org');
    const key = async (scopes: string[]): Promise<{ authorization: string }> => ({
      authorization: `Bearer ${textAt((await carol.ask('POST', '/api/v1/keys', { name: 'k', scopes })).json, 'key')}`,
    });
    const body = { currentPassword: goodPassword, newPassword };
    expect(
      (await ask('POST', `${gateway.url}/api/v1/auth/password`, await key(['completions']), body))
        .status,
    ).toBe(403);
    expect(
      await ask('POST', `${gateway.url}/api/v1/auth/password`, gateway.auth, body),
    ).toMatchObject({ status: 403, json: { message: 'this account has no password' } });
    expect(
      (await ask('POST', `${gateway.url}/api/v1/auth/password`, await key(['admin']), body)).status,
    ).toBe(204);
    expect((await carol.account()).status).toBe(401);
  });
});

describe('a forgotten password', () => {
  it('is replaced with the link that comes by mail, once; all browsers are signed out', async () => {
    const dora = await member('dora@example.org');
    expect(await requestReset('Dora@example.org')).toMatchObject({ status: 202, text: '' });
    const mail = (await mailsTo('dora@example.org', 2))[1]!;
    expect(mail.from).toBe('box@example.org');
    expect(mail.raw).toMatch(/^Subject: A new password for Signalbox\r\n/m);
    expect(mail.raw).toMatch(/^Content-Type: text\/plain/m);
    expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated/m);
    // behind a # it reaches no log of a proxy
    expect(mail.text).toContain(`${publicUrl}/reset-password#token=`);
    expect((await complete(tokenIn(mail))).status).toBe(204);
    expect((await dora.account()).status).toBe(401);
    expect((await visitor().signIn('dora@example.org', goodPassword)).status).toBe(401);
    expect((await visitor().signIn('dora@example.org', newPassword)).status).toBe(200);
    expect(await complete(tokenIn(mail), 'one more password')).toMatchObject({
      status: 422,
      json: { message: 'token: has been used, has expired or was never issued' },
    });
    expect((await visitor().signIn('dora@example.org', newPassword)).status).toBe(200);
  });

  it('is replaced once, even where the link is used many times at once', async () => {
    await member('erin@example.org');
    await requestReset('erin@example.org');
    const token = tokenIn((await mailsTo('erin@example.org', 2))[1]!);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => complete(token, `password of visitor ${index}`)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      204, 422, 422, 422, 422, 422, 422, 422,
    ]);
  });

  it('keeps the link for another try where the new one is too short', async () => {
    await member('finn@example.org');
    await requestReset('finn@example.org');
    const token = tokenIn((await mailsTo('finn@example.org', 2))[1]!);
    expect((await complete(token, 'short')).status).toBe(422);
    expect((await complete(token)).status).toBe(204);
  });

  it('makes every other link of the account worthless with the first that is used', async () => {
    await member('gina@example.org');
    await requestReset('gina@example.org');
    await requestReset('gina@example.org');
    const [, first, second] = await mailsTo('gina@example.org', 3);
    expect((await complete(tokenIn(second!))).status).toBe(204);
    expect((await complete(tokenIn(first!))).status).toBe(422);
  });

  it('is answered the same for an address without an account, and nothing is sent there', async () => {
    await member('hugo@example.org');
    const answers = [
      await requestReset('hugo@example.org'),
      await requestReset('nobody@example.org'),
    ];
    const [one, other] = answers.map(({ status, text, headers }) => ({
      status,
      text,
      names: Object.keys(headers).sort(),
    }));
    expect(other).toEqual(one);
    await mailsTo('hugo@example.org', 2);
    expect(smtp.mails.some(({ to }) => to.includes('nobody@example.org'))).toBe(false);
  });

  it('has a link that expires', async () => {
    const brief = await startGateway({
      mail: { url: smtp.url, from: 'box@example.org' },
      publicUrl,
      auth: { resetMs: 1_000, trustedProxies: 1 },
    });
    await visitor(brief.url).signUp('iris@example.org', goodPassword);
    const [mail] = await mailsTo('iris@example.org');
    const until = /until (.*)\./.exec(mail!.text)?.[1] ?? '';
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(until) + 1_000);
    expect((await complete(tokenIn(mail!), newPassword, visitor(brief.url))).status).toBe(422);
    await brief.close();
  });

  it('never leads where the asker says: without a public address the mail holds a code', async () => {
    const { logger, text } = keepingLogger('warn');
    const nameless = await startGateway(
      { mail: { url: smtp.url, from: 'box@example.org' }, allowedHosts: ['*'] },
      { logger },
    );
    const foreign = {
      host: 'evil.example.org',
      'x-forwarded-host': 'evil.example.org',
      origin: 'http://evil.example.org',
    };
    expect(
      (
        await new Browser(nameless.url).ask(
          'POST',
          '/api/v1/auth/sign-up',
          { email: 'jack@example.org', password: goodPassword },
          foreign,
        )
      ).status,
    ).toBe(202);
    const [mail] = await mailsTo('jack@example.org');
    expect(mail!.raw).not.toContain('evil');
    const code = /^([\w-]{43})\s*$/m.exec(mail!.text)?.[1] ?? '';
    expect((await complete(code, newPassword, new Browser(nameless.url))).status).toBe(204);
    expect(text()).toContain('publicUrl is not set: mails contain a code instead of a link');
    await nameless.close();
  });

  it('is a matter for an administrator where no mail is sent; the answer is the same', async () => {
    const silent = await startGateway();
    const browser = await signedUp(silent.url, 'ada@example.org');
    expect(
      (await browser.ask('POST', '/api/v1/auth/password-reset', { email: 'ada@example.org' }))
        .status,
    ).toBe(202);
    await silent.close();
  });
});

describe('signing up where the gateway sends mail', () => {
  it('takes the mail to be good: only who reads it chooses the password', async () => {
    const kate = visitor();
    expect((await kate.signUp('kate@example.org', goodPassword)).status).toBe(202);
    const [mail] = await mailsTo('kate@example.org');
    expect(mail!.raw).toMatch(/^Subject: Your Signalbox account\r\n/m);
    expect((await kate.signIn('kate@example.org', goodPassword)).status).toBe(401);
    expect((await complete(tokenIn(mail!))).status).toBe(204);
    expect((await kate.signIn('kate@example.org', newPassword)).status).toBe(200);
  });

  it('tells a taken address by mail, and only there', async () => {
    await member('liam@example.org');
    const [taken, fresh] = [
      await visitor().signUp('liam@example.org', goodPassword),
      await visitor().signUp('mona@example.org', goodPassword),
    ];
    expect({ status: taken.status, text: taken.text }).toEqual({
      status: fresh.status,
      text: fresh.text,
    });
    const mail = (await mailsTo('liam@example.org', 2))[1]!;
    expect(mail.raw).toMatch(/^Subject: You have a Signalbox account\r\n/m);
    expect(mail.text).not.toContain('token');
  });

  it('sends another link to an address whose owner has not answered yet', async () => {
    await visitor().signUp('nina@example.org', goodPassword);
    await mailsTo('nina@example.org');
    await visitor().signUp('nina@example.org', goodPassword);
    const [, second] = await mailsTo('nina@example.org', 2);
    expect((await complete(tokenIn(second!))).status).toBe(204);
  });

  it('answers as ever where no mail server takes it, and the log says why without the address', async () => {
    const { logger, lines, text } = keepingLogger('warn');
    const failing = await startGateway(
      { mail: { url: smtp.url, from: 'box@example.org' }, publicUrl },
      { logger },
    );
    smtp.refuseWith('550 no such user otto@example.org');
    expect((await new Browser(failing.url).signUp('otto@example.org', goodPassword)).status).toBe(
      202,
    );
    await until(() =>
      lines.some(({ msg }) =>
        /^the mail for a sign-up failed: a mail could not be sent: EENVELOPE/.test(String(msg)),
      ),
    );
    smtp.refuseWith(null);
    expect(text()).not.toContain('otto');
    await failing.close();
  });

  it('sends neither password nor mail to a server without TLS where the address requires it', async () => {
    const { logger, lines } = keepingLogger('warn');
    const url = `${smtp.url}?requireTLS=true`;
    const failing = await startGateway(
      { mail: { url, from: 'box@example.org' }, publicUrl },
      { logger },
    );
    const before = smtp.mails.length;
    await new Browser(failing.url).signUp('rosa@example.org', goodPassword);
    await until(() =>
      lines.some(({ msg }) => String(msg).includes('a mail could not be sent: ETLS')),
    );
    expect(smtp.mails).toHaveLength(before);
    await failing.close();
  });

  it('sends what is under way before the gateway closes', async () => {
    const closing = await mailing();
    await visitor(closing.url).signUp('pia@example.org', goodPassword);
    await closing.close();
    expect(smtp.mails.filter(({ to }) => to.includes('pia@example.org'))).toHaveLength(1);
  });
});
