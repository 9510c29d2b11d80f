import '@mantine/core/styles.css';
import { createRoot } from 'react-dom/client';
import { Center, Container, Loader, MantineProvider } from '@mantine/core';
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { lazy, Suspense } from 'react';
import './dashboard.css';
import { pageNonce, theme, themeVariables } from './theme.js';
import { isTemporary } from './api/failure.js';
import { basePath } from './api/client.js';
import { Failure } from './components/loaded.js';
import { Shell } from './shell.js';
import { useSession } from './session/session.js';

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

/**
 * The dashboard. `Entrance` shows the pages for strangers or, signed in, the shell with the pages
 * of `pages.tsx`.
 */
function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={pageNonce}
      cssVariablesResolver={themeVariables}
    >
      <QueryClientProvider client={queries}>
        <Router base={basePath}>
          <Entrance />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The forms of strangers, which signed-in people need not load. */
const Strangers = lazy(() => import('./session/strangers.js'));

const Waiting = () => (
  <Center h="100vh">
    <Loader />
  </Center>
);

/** The pages for strangers, or the shell for who is signed in. */
function Entrance() {
  const session = useSession();
  if (session.data) return <Shell />;
  if (session.data === null)
    return (
      <Suspense fallback={<Waiting />}>
        <Strangers />
      </Suspense>
    );
  if (session.error)
    return (
      <Container size="xs" py="xl">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Container>
    );
  return <Waiting />;
}

// dialogs stop the page from scrolling by a style element, whose package looks for its nonce here
Object.assign(globalThis, { __webpack_nonce__: pageNonce() });

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
