// A job of an app: a key for one of its users, and what that user has spent.
//   MODEL_URL=http://127.0.0.1:11434/v1 node manage-keys.mjs
import { createGateway, GatewayError } from 'signalbox';

const gateway = createGateway({
  providers: {
    local: {
      api: 'openai-compatible',
      baseUrl: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
    },
  },
  models: { 'local/m': { inputPrice: 1, outputPrice: 2 } },
});

// the user whom the app calls alice
const account = 'host:alice';
const { id, prefix } = await gateway.keys.create({
  account,
  name: 'laptop',
  models: ['local/*'],
  limits: { dayBudgetUsd: 1 },
});
console.log(`issued ${prefix}…`);

const messages = [{ role: 'user', content: 'Say hello' }];
await gateway.run({ model: 'local/m', messages }, { caller: { account: 'alice' } });
for (const { day, requests, costUsd } of (await gateway.usage({ account, by: ['day'] })).items)
  console.log(`${day}: ${requests} request, ${costUsd} USD`);

await gateway.keys.revoke({ id, account });
const { items } = await gateway.keys.list({ account });
console.log(items.map(({ name, revokedAt }) => `${name}: ${revokedAt ? 'revoked' : 'in use'}`));

try {
  await gateway.keys.get({ id, account: 'host:bob' });
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.log(`for bob: ${error.statusCode} ${error.message}`);
}
await gateway.close();
