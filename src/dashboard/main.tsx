import '@mantine/core/styles.css';
import { createRoot } from 'react-dom/client';
import { Affix, Alert, Center, Container, Loader, MantineProvider } from '@mantine/core';
import {
  MutationCache,
  notifyManager,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { Router } from 'wouter';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import './dashboard.css';
import { pageNonce, theme, themeVariables } from './theme.js';
import { isOfWholePage, isTemporary } from './api/failure.js';
import { basePath } from './api/client.js';
import {
  importPart,
  isGatewayAnswering,
  onConnectionChange,
  onSignedOut,
} from './api/connection.js';
import { Failure, PageBoundary } from './components/loaded.js';
import { Shell } from './shell.js';
import { sessionKey, useSession, wasSignedIn } from './session/session.js';
import { texts } from './texts/texts.js';

// a button is off before the second click of a double click comes
notifyManager.setScheduler(queueMicrotask);

/** A failed query is asked again only if another answer is likely. */
const maxQueryRetries = 2;

const queries: QueryClient = new QueryClient({
  // whatever was changed, the page shows what is true now
  mutationCache: new MutationCache({ onSuccess: () => queries.invalidateQueries() }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < maxQueryRetries && isTemporary(error),
    },
  },
});

// what could not be loaded is asked for again, and so is who is signed in
onConnectionChange(() => {
  if (isGatewayAnswering()) void queries.invalidateQueries();
});
onSignedOut(() => void queries.refetchQueries({ queryKey: sessionKey }));

/**
 * The dashboard. `Entrance` shows the pages for strangers or, signed in, the shell with its pages.
 */
const App = () => (
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    getStyleNonce={pageNonce}
    cssVariablesResolver={themeVariables}
  >
    <QueryClientProvider client={queries}>
      <Router base={basePath}>
        <PageBoundary>
          <NoAnswer />
          <Entrance />
        </PageBoundary>
      </Router>
    </QueryClientProvider>
  </MantineProvider>
);

/** Says for the whole page that the gateway does not answer, until it does. */
const NoAnswer = () =>
  useSyncExternalStore(onConnectionChange, isGatewayAnswering) ? null : (
    <Affix position={{ top: 8, left: 8, right: 8 }} zIndex={500}>
      <Alert color="yellow" variant="filled" role="status" maw={480} mx="auto">
        {texts.common.noAnswer}
      </Alert>
    </Affix>
  );

/** The forms of strangers, which signed-in people need not load. */
const forms = () => importPart(() => import('./session/strangers.js'));
const Strangers = lazy(forms);
const SignInAgain = lazy(async () => ({ default: (await forms()).SignInAgain }));

const Waiting = () => (
  <Center h="100vh">
    <Loader />
  </Center>
);

/** The pages for strangers, or the shell for who is signed in. */
function Entrance() {
  const session = useSession();
  if (session.data)
    return (
      <>
        <Shell key={session.data.account.id} />
        {session.data.isExpired ? (
          <Suspense>
            <SignInAgain />
          </Suspense>
        ) : null}
      </>
    );
  if (session.data === null)
    return (
      <Suspense fallback={<Waiting />}>
        <Strangers />
      </Suspense>
    );
  if (session.error && !isOfWholePage(session.error))
    return (
      <Container size="xs" py="xl">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Container>
    );
  return wasSignedIn ? <Shell /> : <Waiting />;
}

// dialogs stop the page from scrolling by a style element, whose package looks for its nonce here
Object.assign(globalThis, { __webpack_nonce__: pageNonce() });

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
