import { createTransport } from 'nodemailer';
import { afterEach, describe, expect, it } from 'vitest';
import { type SmtpOptions, type SmtpServer, startSmtp } from './smtp.js';

let smtp: SmtpServer;
afterEach(() => smtp.close());
const start = async (options?: SmtpOptions): Promise<SmtpServer> =>
  (smtp = await startSmtp(options));
const letter = {
  from: 'box@signal.test',
  to: ['a@example.test', 'B <b@example.test>'],
  subject: 'Hello',
};

describe('the mail server', () => {
  it.each([
    ['plain letters', 'one\ntwo'],
    ['a dot at the start of a line', 'one\n.\n..two'],
    ['letters of all alphabets, with a long line', `Grüße, Ωμέγα, 日本 = ${'long '.repeat(40)}`],
    ['mostly what is not ASCII', '日本語の手紙'],
  ])('keeps envelope and text of a mail with %s', async (_, text) => {
    await createTransport((await start()).url).sendMail({ ...letter, text });
    expect(smtp.mails.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'box@signal.test', to: ['a@example.test', 'b@example.test'] },
    ]);
    expect(smtp.mails[0]?.text.replaceAll('\r\n', '\n').trim()).toBe(text.trim());
    expect(smtp.mails[0]?.raw).toContain('Subject: Hello');
  });

  it('takes the plain text of a mail that has HTML too', async () => {
    await createTransport((await start()).url).sendMail({
      ...letter,
      text: 'plain',
      html: '<b>bold</b>',
    });
    expect(smtp.mails[0]?.text.trim()).toBe('plain');
  });

  it('refuses recipients until it is set to accept them', async () => {
    const transport = createTransport((await start()).url);
    smtp.refuseWith('550 no such user');
    await expect(transport.sendMail({ ...letter, text: 'x' })).rejects.toThrow('550 no such user');
    smtp.refuseWith(null);
    await transport.sendMail({ ...letter, text: 'x' });
    expect(smtp.mails).toHaveLength(1);
  });

  it.each(['PLAIN', 'LOGIN'])(
    'takes mails only from who has signed in, by %s',
    async (authMethod) => {
      const { port } = await start({ login: { user: 'box', password: 'päss' } });
      const send = (auth?: { user: string; pass: string }): Promise<unknown> =>
        createTransport({ host: '127.0.0.1', port, authMethod, auth }).sendMail({
          ...letter,
          text: 'x',
        });
      await expect(send()).rejects.toThrow('530');
      await expect(send({ user: 'box', pass: 'wrong' })).rejects.toThrow('535');
      await send({ user: 'box', pass: 'päss' });
      expect(smtp.mails).toHaveLength(1);
    },
  );
});
