import { createHmac } from 'node:crypto';
import type { NewAlert } from '../../store/contracts/alerts.js';

const timeoutMs = 10_000;

/**
 * Posts an alert as JSON, signed as Standard Webhooks say: `webhook-signature` is `v1,` and the
 * base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The id stays the same when
 * an alert is sent again. Redirects are not followed.
 * @throws Error that names neither the address nor the secret
 */
export async function postAlert(
  { url, secret }: { url: string; secret: string },
  { id, at, kind, text }: NewAlert,
): Promise<void> {
  const body = JSON.stringify({
    type: `alert.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { id, kind, text },
  });
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`);
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    },
    body,
  }).catch((error: unknown) => {
    const { name, cause } = error as Error;
    const { code = name } = (cause ?? {}) as { code?: string };
    throw new Error(`the webhook could not be reached: ${code}`);
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

const prefix = 'whsec_';
/** The signing key: the base64 after the prefix `whsec_`, else the bytes of the secret. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret);
