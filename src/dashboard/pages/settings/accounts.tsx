import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { CodeBlock, Note, optionsOf, PlainText, StateBadge } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { read, usePagedList } from '../../api/queries.js';
import { type Column, PagedTable, column, actionsColumn } from '../../components/list-table.js';
import { Failure } from '../../components/loaded.js';
import { formatDay, formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { BudgetSpend, useUsage } from '../keys/budget-spend.js';
import { type Limits, limitWords } from '../../format/limits.js';
import { ActDialog, ActionsMenu } from '../../components/dialog.js';
import { useAccount } from '../../session/session.js';
import { LimitFields } from '../keys/key-form.js';
import { typed } from '../../components/fields.js';

const text = texts.settings;
type Account = Schema<'AccountResponse'>;

/** A link that sets a password, and whose it is. */
interface GivenLink {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** All accounts, for administrators. */
export default function Accounts() {
  const [link, setLink] = useState<GivenLink | null>(null);
  const list = usePagedList(['accounts'], (page) => read('/api/v1/accounts', { query: page }));
  const columns = columnsOf(setLink, useUsage('account', true));
  return (
    <Stack gap="lg">
      <Invitation onLink={setLink} />
      {link === null ? null : <Link link={link} />}
      <PagedTable list={list} label={text.tabs.accounts} columns={columns} minWidth={860} />
    </Stack>
  );
}

const Link = ({ link: { email, url, expiresAt } }: { link: GivenLink }) => (
  <Alert title={fill(text.linkTitle, { email })} role="status">
    <Text size="sm" mb="xs">
      {fill(text.linkLead, { time: formatInstant(expiresAt) })}
    </Text>
    <CodeBlock code={url} label={fill(text.linkTitle, { email })} />
  </Alert>
);

function Invitation({ onLink }: { onLink: (link: GivenLink) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'member' | 'admin'>('member');
  const inviting = useMutation({
    mutationFn: (sent: string) =>
      dataOf(api.POST('/api/v1/accounts', { body: { email: sent, role } })),
    onSuccess: ({ url, expiresAt }, sent) => {
      onLink({ email: sent, url, expiresAt });
      // what was typed since stays
      setEmail((now) => (now === sent ? '' : now));
    },
  });
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    inviting.mutate(email);
  };
  return (
    <form onSubmit={send}>
      <Group align="flex-end" gap="sm">
        <TextInput type="email" required label={text.inviteEmail} {...typed(email, setEmail)} />
        <Select<'member' | 'admin'>
          label={text.inviteRole}
          allowDeselect={false}
          data={optionsOf(text.roles)}
          value={role}
          onChange={(chosen) => setRole(chosen ?? 'member')}
        />
        <Button type="submit" loading={inviting.isPending}>
          {text.invite}
        </Button>
      </Group>
      {inviting.error ? <Failure error={inviting.error} /> : null}
    </form>
  );
}

const columnsOf = (
  onLink: (link: GivenLink) => void,
  usage: ReturnType<typeof useUsage>,
): readonly Column<Account>[] => [
  column(texts.common.account, (account) => <Name {...account} />),
  column(texts.common.state, (account) => <State {...account} />),
  column(text.limits, ({ limits }) => limitWords(limits)),
  column(texts.common.spend, (account) => <BudgetSpend shown={account} usage={usage} />),
  actionsColumn((account) => <AccountActions account={account} onLink={onLink} />),
];

const Name = ({ email, role, createdAt }: Account) => (
  <>
    <PlainText fw={500}>{email ?? text.unowned}</PlainText>
    <Note>
      {text.roles[role]} · {fill(text.created, { time: formatDay(createdAt) })}
    </Note>
  </>
);

const State = ({ disabledAt }: Account) => (
  <StateBadge
    color={disabledAt === null ? 'green' : 'gray'}
    label={disabledAt === null ? text.active : fill(text.disabled, { time: formatDay(disabledAt) })}
  />
);

interface AccountActionsProps {
  account: Account;
  onLink: (link: GivenLink) => void;
}

/** What an administrator can do with an account. */
function AccountActions({ account, onLink }: AccountActionsProps) {
  const own = useAccount();
  const params = { path: { id: account.id } };
  const email = account.email ?? account.id;
  const isActive = account.disabledAt === null;
  const change = (body: { disabled?: boolean; role?: Account['role'] }) =>
    api.PATCH('/api/v1/accounts/{id}', { params, body });
  const link = {
    label: text.resetLink,
    question: fill(text.resetQuestion, { email }),
    act: async () => {
      const made = await dataOf(api.POST('/api/v1/accounts/{id}/reset-link', { params }));
      onLink({ email, url: made.url, expiresAt: made.expiresAt });
    },
  };
  const ofOthers = [
    {
      label: account.role === 'admin' ? text.makeMember : text.makeAdmin,
      question: fill(text.roleQuestion, { email }),
      act: () => change({ role: account.role === 'admin' ? 'member' : 'admin' }),
    },
    {
      label: isActive ? text.disable : text.enable,
      question: fill(isActive ? text.disableQuestion : text.enableQuestion, { email }),
      act: () => change({ disabled: isActive }),
    },
    {
      label: texts.common.delete,
      question: fill(text.removeQuestion, { email }),
      act: () => api.DELETE('/api/v1/accounts/{id}', { params }),
    },
  ];
  return (
    <ActionsMenu
      name={email}
      actions={[
        { label: text.limits, dialog: (close) => <LimitsDialog {...{ account, close }} /> },
        ...(isActive && account.email !== null ? [link] : []),
        ...(own.id === account.id ? [] : ofOthers),
      ]}
    />
  );
}

function LimitsDialog({ account, close }: { account: Account; close: () => void }) {
  const { id, email, limits } = account;
  const [edited, setEdited] = useState<Limits>(limits);
  const params = { path: { id } };
  return (
    <ActDialog
      title={fill(text.editLimits, { email: email ?? id })}
      gap="sm"
      act={() => api.PATCH('/api/v1/accounts/{id}', { params, body: { limits: edited } })}
      close={close}
    >
      <Text size="sm">{text.limitsLead}</Text>
      <LimitFields limits={edited} change={(changed) => setEdited({ ...edited, ...changed })} />
    </ActDialog>
  );
}
