import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure } from '../api/failure.js';
import { texts } from '../texts/texts.js';

/** What went wrong in the gateway's words, the request's id, and a button that tries again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof ApiFailure ? error.requestId : null;
  return (
    <Alert color="red" title={texts.common.failed} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="text-plain">
          {message}
        </Text>
        <Group gap="sm">
          {retry ? (
            <Button size="xs" variant="default" onClick={retry}>
              {texts.common.tryAgain}
            </Button>
          ) : null}
          {requestId === null ? null : (
            <Text size="xs">
              {texts.common.requestId} <Code>{requestId}</Code>
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Lines where content will be. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label={texts.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  );
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** How many lines stand for what is loading. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** Shows a query's data; before that that it loads, or why it failed. */
export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}
