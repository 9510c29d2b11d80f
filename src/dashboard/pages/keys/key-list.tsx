import { Button, Code, Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { formatAgo, formatDay } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { KeyForm } from './key-form.js';
import { type ApiKey, isUsable, limitsOf, stateOf } from './key-terms.js';

const text = texts.keys;
const pageSize = 50;

interface KeyListProps {
  /** The button that creates a key. */
  create: ReactNode;
  /** Called with a key whose new secret is to be shown. */
  onNewSecret: (key: ApiKey) => void;
}

/** The account's keys, newest first. */
export function KeyList({ create, onNewSecret }: KeyListProps) {
  const keys = useInfiniteQuery({
    queryKey: ['keys'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v1/keys', {
          params: {
            query: { limit: pageSize, ...(pageParam === '' ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  if (keys.error) return <Failure error={keys.error} retry={() => void keys.refetch()} />;
  if (!keys.data) return <Loading />;
  const all = keys.data.pages.flatMap(({ items }) => items);
  if (all.length === 0)
    return <Empty title={text.emptyTitle} hint={text.emptyHint} actions={create} />;
  return (
    <>
      <Table.ScrollContainer minWidth={760}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {[text.name, text.prefix, text.scopes, text.limits, text.lastUsed, text.state].map(
                (label) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ),
              )}
              <Table.Th ta="right">{text.actions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {all.map((key) => (
              <KeyRow key={key.id} shown={key} onNewSecret={onNewSecret} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {keys.hasNextPage ? (
        <Button variant="default" onClick={() => void keys.fetchNextPage()}>
          {text.more}
        </Button>
      ) : null}
    </>
  );
}

interface KeyRowProps {
  shown: ApiKey;
  onNewSecret: (key: ApiKey) => void;
}

function KeyRow({ shown, onNewSecret }: KeyRowProps) {
  const usable = isUsable(shown);
  return (
    <Table.Tr c={usable ? undefined : 'dimmed'}>
      <Table.Td>
        <Text fw={500} size="sm">
          {shown.name}
        </Text>
        <Text size="xs" c="dimmed">
          {text.created} {formatDay(shown.createdAt)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Code>{shown.prefix}…</Code>
      </Table.Td>
      <Table.Td>
        {shown.scopes.join(', ')}
        {shown.models === null ? null : (
          <Text size="xs" c="dimmed">
            {shown.models.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{limitsOf(shown)}</Table.Td>
      <Table.Td>{shown.lastUsedAt === null ? text.never : formatAgo(shown.lastUsedAt)}</Table.Td>
      <Table.Td>{stateOf(shown)}</Table.Td>
      <Table.Td>{usable ? <KeyActions shown={shown} onNewSecret={onNewSecret} /> : null}</Table.Td>
    </Table.Tr>
  );
}

function KeyActions({ shown, onNewSecret }: KeyRowProps) {
  const [isEdited, setEdited] = useState(false);
  const queries = useQueryClient();
  const path = { params: { path: { id: shown.id } } };
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: ['keys'] });
  const { name } = shown;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        aria-label={`${text.edit} ${name}`}
        onClick={() => setEdited(true)}
      >
        {text.edit}
      </Button>
      <ConfirmButton
        label={text.rotate}
        aria-label={`${text.rotate} ${name}`}
        question={fill(text.rotateQuestion, { name })}
        act={async () => {
          const renewed = await dataOf(api.POST('/api/v1/keys/{id}/rotate', { ...path, body: {} }));
          await changed();
          onNewSecret(renewed);
        }}
      />
      <ConfirmButton
        label={text.revoke}
        aria-label={`${text.revoke} ${name}`}
        question={fill(text.revokeQuestion, { name })}
        act={async () => {
          await api.DELETE('/api/v1/keys/{id}', path);
          await changed();
        }}
      />
      {isEdited ? (
        <KeyForm edited={shown} close={() => setEdited(false)} onSaved={() => setEdited(false)} />
      ) : null}
    </Group>
  );
}
