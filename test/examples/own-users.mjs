// An app with users of its own. The gateway answers them, and keeps each user's conversations,
// limits and usage apart.
//   MODEL_URL=http://127.0.0.1:11434/v1 node own-users.mjs
import express from 'express';
import { createGateway } from 'signalbox';

/** The app's sessions, by cookie. */
const sessions = new Map([
  ['session=alice', { id: 'u-1', name: 'Alice', plan: 'team' }],
  ['session=bob', { id: 'u-2', name: 'Bob', plan: 'free' }],
]);

const gateway = createGateway(
  {
    providers: {
      local: {
        api: 'openai-compatible',
        baseUrl: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
      },
    },
  },
  {
    // for each request without a key of the gateway; null is answered with 401
    identify(req) {
      const user = sessions.get(req.headers.cookie ?? '');
      if (!user) return null;
      return {
        account: user.id,
        name: user.name,
        limits: { requestsPerMinute: user.plan === 'free' ? 2 : 60 },
      };
    },
  },
);

const app = express();
app.use('/ai', gateway.router);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
