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
import { AccountActions, type GivenLink } from './account-actions.js';
import { limitWords } from '../../format/limits.js';
import { typed } from '../../components/fields.js';

const text = texts.settings;

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

type Account = Schema<'AccountResponse'>;

function columnsOf(
  onLink: (link: GivenLink) => void,
  usage: ReturnType<typeof useUsage>,
): readonly Column<Account>[] {
  return [
    column(texts.common.account, (account) => <Name {...account} />),
    column(texts.common.state, (account) => <State {...account} />),
    column(text.limits, ({ limits }) => limitWords(limits)),
    column(texts.common.spend, (account) => <BudgetSpend shown={account} usage={usage} />),
    actionsColumn((account) => <AccountActions account={account} onLink={onLink} />),
  ];
}

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
