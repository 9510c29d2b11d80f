import { Alert, Button, Code, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../components/page.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { KeyForm } from './key-form.js';
import { BudgetSpend, useUsage } from './budget-spend.js';
import { type ApiKey, isUsable, stateOf } from './key-terms.js';
import {
  CodeBlock,
  Note,
  PageLink,
  PlainText,
  SmallButton,
  StateBadge,
} from '../../components/elements.js';
import { api, basePath, dataOf } from '../../api/client.js';
import { read, useAccountNames, usePagedList } from '../../api/queries.js';
import { ActionsMenu } from '../../components/dialog.js';
import { Empty, useSearch } from '../../components/loaded.js';
import {
  type Column,
  figure,
  PagedTable,
  column,
  actionsColumn,
  plain,
} from '../../components/list-table.js';
import { formatCount, formatSpend } from '../../format/numbers.js';
import { formatAgo, formatDay } from '../../format/times.js';
import { limitWords } from '../../format/limits.js';

const text = texts.keys;

/** So many are found without a search. */
const fewKeys = 20;

/** Shows a new secret, the only time that it can be seen. */
const CreatedKey = ({ made, close }: { made: ApiKey; close: () => void }) => (
  <Modal
    opened
    onClose={close}
    title={text.createdTitle}
    size="lg"
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

/** The page `/keys`: API keys with what was used with each; administrators see those of all accounts. */
export default function KeysPage() {
  const isAdmin = useAccount().role === 'admin';
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<ApiKey | null>(null);
  const create = (): void => setCreating(true);
  return (
    <Page
      title={texts.navigation.keys}
      lead={text.lead}
      actions={
        <>
          <SmallButton
            component="a"
            href={`${basePath}/api/v1/usage?by=key&format=csv${isAdmin ? '&account=all' : ''}`}
            download="usage-by-key.csv"
          >
            {text.export}
          </SmallButton>
          <Button onClick={create}>{texts.common.createKey}</Button>
        </>
      }
    >
      <KeyList create={create} onNewSecret={setMade} />
      {isCreating ? (
        <KeyForm edited={null} close={() => setCreating(false)} onSaved={setMade} />
      ) : null}
      {made ? <CreatedKey made={made} close={() => setMade(null)} /> : null}
    </Page>
  );
}

interface KeyListProps {
  create: () => void;
  /** Called with a key whose new secret is to be shown. */
  onNewSecret: (key: ApiKey) => void;
}

/** The keys, newest first. */
function KeyList({ create, onNewSecret }: KeyListProps) {
  const isAdmin = useAccount().role === 'admin';
  const accounts = useAccountNames(isAdmin);
  const usage = useUsage('key', isAdmin);
  const { search, field } = useSearch();
  const list = usePagedList(['keys', isAdmin, search], (page) =>
    read('/api/v1/keys', {
      query: { ...page, account: isAdmin ? 'all' : undefined, search: search || undefined },
    }),
  );
  const account = column<ApiKey>(
    texts.common.account,
    ({ accountId }) => accounts.get(accountId) ?? accountId,
  );
  const columns: readonly Column<ApiKey>[] = [
    column(texts.common.name, (key) => <Name shown={key} />),
    ...(accounts.size > 1 ? [account] : []),
    column(texts.common.spend, (key) => <BudgetSpend shown={key} usage={usage} />),
    figure(text.requests, ({ id }) => (
      <PageLink href={`/requests?key=${id}&range=30d`}>
        {formatCount(usage.month && (usage.month.get(id)?.requests ?? 0))}
      </PageLink>
    )),
    figure(texts.common.lastUsed, ({ lastUsedAt }) =>
      lastUsedAt === null ? text.never : formatAgo(lastUsedAt),
    ),
    plain(texts.common.state, (key) => (
      <StateBadge color={isUsable(key) ? 'green' : 'gray'} label={stateOf(key)} />
    )),
    actionsColumn((key) =>
      isUsable(key) ? <KeyActions shown={key} onNewSecret={onNewSecret} /> : null,
    ),
  ];
  const keyless = usage.month?.get('');
  return (
    <>
      {search !== '' || (list.data?.length ?? 0) >= fewKeys ? (
        <TextInput label={text.search} {...field} />
      ) : null}
      <PagedTable
        list={list}
        label={texts.navigation.keys}
        columns={columns}
        minWidth={860}
        verticalSpacing={4}
        isPale={(key) => !isUsable(key)}
        highlightOnHover
        empty={
          search === '' ? (
            <Empty
              title={text.emptyTitle}
              hint={text.emptyHint}
              ways={[[texts.common.createKey, create]]}
            />
          ) : (
            <Empty title={fill(text.notFound, { search })} hint={text.notFoundHint} />
          )
        }
      />
      {keyless ? (
        <Note>
          {fill(text.withoutKey, {
            requests: formatCount(keyless.requests),
            spend: formatSpend(keyless),
          })}
        </Note>
      ) : null}
    </>
  );
}

/** A key's name and beginning, and below them what it allows. */
function Name({ shown }: { shown: ApiKey }) {
  const { name, prefix, createdAt, scopes, models, toolkits, limits } = shown;
  const terms = [
    models?.join(', ') ?? text.anyModel,
    ...toolkits,
    limitWords(limits),
    ...scopes.map((scope) => text.scopeNames[scope as keyof typeof text.scopeNames]),
  ].join(' · ');
  return (
    <>
      <Group gap="xs" title={`${text.created} ${formatDay(createdAt)}`}>
        <PlainText fw={500}>{name}</PlainText>
        <Code>{prefix}…</Code>
      </Group>
      <Note maw={360}>{terms}</Note>
    </>
  );
}

function KeyActions({ shown, onNewSecret }: { shown: ApiKey; onNewSecret: (key: ApiKey) => void }) {
  const path = { params: { path: { id: shown.id } } };
  const { name } = shown;
  return (
    <ActionsMenu
      name={name}
      actions={[
        { label: texts.common.edit, dialog: (close) => <KeyForm edited={shown} close={close} /> },
        {
          label: text.rotate,
          question: fill(text.rotateQuestion, { name }),
          act: async (leave) => {
            const asked = api.POST('/api/v1/keys/{id}/rotate', { ...path, body: {} });
            const key = await dataOf(asked);
            leave();
            onNewSecret(key);
          },
        },
        {
          label: text.revoke,
          question: fill(text.revokeQuestion, { name }),
          act: () => api.DELETE('/api/v1/keys/{id}', path),
        },
      ]}
    />
  );
}
