import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Page } from '../../components/page.js';
import { fill, texts } from '../../texts/texts.js';
import { KeyForm } from './key-form.js';
import { KeyUsage } from './key-usage.js';
import { type ApiKey, isUsable, stateOf } from './key-terms.js';
import { CodeBlock, Note, PlainText, SmallButton, StateBadge } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import { read, usePagedList } from '../../api/queries.js';
import { ConfirmButton } from '../../components/dialog.js';
import { Empty } from '../../components/loaded.js';
import { type Column, PagedTable } from '../../components/list-table.js';
import { formatAgo, formatDay } from '../../format/times.js';
import { limitWords } from '../../format/limits.js';

const text = texts.keys;

/** Shows a new secret, the only time that it can be seen. */
function CreatedKey({ made, close }: { made: ApiKey; close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      title={text.createdTitle}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow">{text.createdHint}</Alert>
        <CodeBlock code={made.key ?? ''} label={made.name} />
        <Group justify="flex-end">
          <Button onClick={close}>{text.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The page `/keys`: the account's API keys, and what was used with each. */
export default function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<ApiKey | null>(null);
  const create = <Button onClick={() => setCreating(true)}>{text.create}</Button>;
  return (
    <Page title={text.title} lead={text.lead} actions={create}>
      <KeyList create={create} onNewSecret={setMade} />
      <KeyUsage />
      {isCreating ? (
        <KeyForm
          edited={null}
          close={() => setCreating(false)}
          onSaved={(key) => {
            setCreating(false);
            setMade(key);
          }}
        />
      ) : null}
      {made ? <CreatedKey made={made} close={() => setMade(null)} /> : null}
    </Page>
  );
}

interface KeyListProps {
  /** The button that creates a key. */
  create: ReactNode;
  /** Called with a key whose new secret is to be shown. */
  onNewSecret: (key: ApiKey) => void;
}

/** The account's keys, newest first. */
function KeyList({ create, onNewSecret }: KeyListProps) {
  const list = usePagedList(['keys'], (page) => read('/api/v1/keys', { query: page }));
  return (
    <PagedTable
      list={list}
      label={text.title}
      columns={columnsOf(onNewSecret)}
      minWidth={760}
      isPale={(key) => !isUsable(key)}
      highlightOnHover
      empty={<Empty title={text.emptyTitle} hint={text.emptyHint} actions={create} />}
    />
  );
}

function columnsOf(onNewSecret: KeyRowProps['onNewSecret']): readonly Column<ApiKey>[] {
  return [
    { label: text.name, cell: (key) => <Name shown={key} /> },
    { label: text.prefix, cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { label: text.scopes, cell: (key) => <Scopes shown={key} /> },
    { label: text.limits, cell: ({ limits }) => limitWords(limits, text.limitWords) },
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
    <PlainText fw={500}>{name}</PlainText>
    <Note>
      {text.created} {formatDay(createdAt)}
    </Note>
  </>
);

const Scopes = ({ shown: { scopes, models } }: { shown: ApiKey }) => (
  <>
    {scopes.join(', ')}
    {models === null ? null : <Note>{models.join(', ')}</Note>}
  </>
);

interface KeyRowProps {
  shown: ApiKey;
  onNewSecret: (key: ApiKey) => void;
}

function KeyActions({ shown, onNewSecret }: KeyRowProps) {
  const [isEdited, setEdited] = useState(false);
  const path = { params: { path: { id: shown.id } } };
  const { name } = shown;
  return (
    <Group gap="xs" justify="flex-end">
      <SmallButton aria-label={`${text.edit} ${name}`} onClick={() => setEdited(true)}>
        {text.edit}
      </SmallButton>
      <ConfirmButton
        label={text.rotate}
        aria-label={`${text.rotate} ${name}`}
        question={fill(text.rotateQuestion, { name })}
        act={async () =>
          onNewSecret(await dataOf(api.POST('/api/v1/keys/{id}/rotate', { ...path, body: {} })))
        }
      />
      <ConfirmButton
        label={text.revoke}
        aria-label={`${text.revoke} ${name}`}
        question={fill(text.revokeQuestion, { name })}
        act={() => api.DELETE('/api/v1/keys/{id}', path)}
      />
      {isEdited ? (
        <KeyForm edited={shown} close={() => setEdited(false)} onSaved={() => setEdited(false)} />
      ) : null}
    </Group>
  );
}
