import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { isTemporary } from './api/failure.js';
import { basePath } from './api/client.js';
import { Entrance } from './session/entrance.js';
import { pageNonce, theme, themeVariables } from './theme.js';

/** A failed query is asked again only if another answer is likely. */
const maxQueryRetries = 2;

const queries = new QueryClient({
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
export function App() {
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
