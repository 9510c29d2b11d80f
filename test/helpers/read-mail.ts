/**
 * The plain text of a mail in UTF-8: its body decoded, or that of its first part that is plain
 * text; '' if there is none.
 */
export function readMail(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const header = (name: string): string =>
    new RegExp(`^${name}:(.*)$`, 'im').exec(head.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? '';
  const type = header('content-type') || 'text/plain';
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary !== undefined)
    return (
      partsOf(body, boundary)
        .map(readMail)
        .find((text) => text !== '') ?? ''
    );
  return type.startsWith('text/plain')
    ? decode(body, header('content-transfer-encoding').toLowerCase())
    : '';
}

const partsOf = (body: string, boundary: string): string[] =>
  `\r\n${body}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^[ \t]*\r\n/, ''));

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=[ \t]*\r\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
