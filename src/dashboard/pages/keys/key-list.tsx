import { Button, Code, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { usePagedList } from '../../api/paged-list.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Empty, Paged } from '../../components/loaded.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatAgo, formatDay } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { KeyForm } from './key-form.js';
import { type ApiKey, isUsable, limitsOf, stateOf } from './key-terms.js';

const text = texts.keys;

interface KeyListProps {
  /** The button that creates a key. */
  create: ReactNode;
  /** Called with a key whose new secret is to be shown. */
  onNewSecret: (key: ApiKey) => void;
}

/** The account's keys, newest first. */
export function KeyList({ create, onNewSecret }: KeyListProps) {
  const list = usePagedList(['keys'], (page) =>
    dataOf(api.GET('/api/v1/keys', { params: { query: page } })),
  );
  return (
    <Paged list={list} more={text.more}>
      {(keys) =>
        keys.length === 0 ? (
          <Empty title={text.emptyTitle} hint={text.emptyHint} actions={create} />
        ) : (
          <ListTable
            label={text.title}
            columns={columnsOf(onNewSecret)}
            rows={keys}
            keyOf={({ id }) => id}
            minWidth={760}
            isPale={(key) => !isUsable(key)}
            highlightOnHover
          />
        )
      }
    </Paged>
  );
}

function columnsOf(onNewSecret: KeyRowProps['onNewSecret']): readonly Column<ApiKey>[] {
  return [
    { label: text.name, cell: (key) => <Name shown={key} /> },
    { label: text.prefix, cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { label: text.scopes, cell: (key) => <Scopes shown={key} /> },
    { label: text.limits, cell: limitsOf },
    {
      label: text.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : formatAgo(lastUsedAt)),
    },
    {
      label: text.state,
      cell: (key) => <StateBadge color={isUsable(key) ? 'green' : 'gray'} label={stateOf(key)} />,
    },
    {
      label: text.actions,
      cell: (key) => (isUsable(key) ? <KeyActions shown={key} onNewSecret={onNewSecret} /> : null),
      isHeadHidden: true,
    },
  ];
}

const Name = ({ shown: { name, createdAt } }: { shown: ApiKey }) => (
  <>
    <Text fw={500} size="sm" className="text-plain">
      {name}
    </Text>
    <Text size="xs" c="dimmed">
      {text.created} {formatDay(createdAt)}
    </Text>
  </>
);

const Scopes = ({ shown: { scopes, models } }: { shown: ApiKey }) => (
  <>
    {scopes.join(', ')}
    {models === null ? null : (
      <Text size="xs" c="dimmed">
        {models.join(', ')}
      </Text>
    )}
  </>
);

interface KeyRowProps {
  shown: ApiKey;
  onNewSecret: (key: ApiKey) => void;
}

function KeyActions({ shown, onNewSecret }: KeyRowProps) {
  const [isEdited, setEdited] = useState(false);
  const queries = useQueryClient();
  const path = { params: { path: { id: shown.id } } };
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: ['keys'] });
  const { name } = shown;
  return (
    <Group gap="xs" justify="flex-end">
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
