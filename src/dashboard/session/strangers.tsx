import {
  Button,
  Container,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode, SyntheticEvent } from 'react';
import { Route, Switch } from 'wouter';
import { CompactButton, PageLink } from '../components/elements.js';
import { api, basePath } from '../api/client.js';
import { Failure, Loaded } from '../components/loaded.js';
import { Panel } from '../components/page.js';
import { texts } from '../texts/texts.js';
import { leave, useAuthStatus, useSession, useSessionChange } from './session.js';

const text = texts.session;

/** The pages for people who are not signed in. */
export default function Strangers() {
  const status = useAuthStatus();
  return (
    <Container size={420} py="xl" component="main">
      <Group justify="center" gap="sm" mb="lg">
        <img src={`${basePath}/icon.svg`} alt="" width={32} height={32} />
        <Text fw={700} size="xl">
          Signalbox
        </Text>
      </Group>
      <Loaded query={status}>
        {({ webAccounts }) => (webAccounts ? <Forms /> : <NoWebAccounts />)}
      </Loaded>
    </Container>
  );
}

const Forms = () => (
  <Switch>
    <Route path="/claim" component={Claim} />
    <Route path="/sign-up" component={SignUp} />
    <Route path="/forgot-password" component={ForgotPassword} />
    <Route component={Start} />
  </Switch>
);

/** Over a page whose sign-in has ended, which stays as it is. */
export function SignInAgain() {
  const status = useAuthStatus();
  const { data: session } = useSession();
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} centered zIndex={400}>
      <Loaded query={status}>
        {({ webAccounts }) => (
          <Stack>
            <Text>{text.ended}</Text>
            {webAccounts ? (
              <SignIn isAgain email={session?.account.email ?? ''} />
            ) : (
              <NoWebAccounts />
            )}
            <CompactButton onClick={leave}>{text.leave}</CompactButton>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

/** A gateway without an owner is claimed first. */
function Start() {
  const { data } = useAuthStatus();
  return data?.claimed === false ? <Claim /> : <SignIn />;
}

const NoWebAccounts = () => (
  <Panel title={text.noWebAccounts} order={1}>
    <Text>{text.noWebAccountsHint}</Text>
  </Panel>
);

interface FormProps {
  title: string;
  /** The title of the page stays. */
  isOverPage?: boolean;
  lead?: string;
  /** What the button says. */
  action: string;
  submit: (fields: Record<string, string>) => Promise<unknown>;
  /** Stands in place of the form when it is done. */
  done?: ReactNode;
  fields: ReactNode;
  links: ReactNode;
}

/** One form: its fields are read by name when it is sent. */
function StrangersForm(props: FormProps) {
  const { title, isOverPage = false, lead, action, submit, done, fields, links } = props;
  useDocumentTitle(isOverPage ? document.title : `${title} · Signalbox`);
  const sending = useMutation({ mutationFn: submit });
  const send = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const texts = [...fields].filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    );
    sending.mutate(Object.fromEntries(texts));
  };
  return (
    <Panel title={title} order={isOverPage ? 2 : 1} lead={lead}>
      <Stack>
        {sending.isSuccess && done !== undefined ? (
          <Text role="status">{done}</Text>
        ) : (
          <form onSubmit={send}>
            <Stack>
              {fields}
              {sending.error ? <Failure error={sending.error} /> : null}
              <Button type="submit" loading={sending.isPending}>
                {action}
              </Button>
            </Stack>
          </form>
        )}
        {links === null ? null : <Stack gap={4}>{links}</Stack>}
      </Stack>
    </Panel>
  );
}

const Email = ({ isFirst = true, known = '' }: { isFirst?: boolean; known?: string }) => (
  <TextInput
    label={text.email}
    name="email"
    defaultValue={known}
    type="email"
    autoComplete="username"
    required
    autoFocus={isFirst}
  />
);

const NewPassword = () => (
  <PasswordInput
    label={text.password}
    description={text.passwordRule}
    name="password"
    autoComplete="new-password"
    minLength={8}
    maxLength={1024}
    required
  />
);

const To = ({ href, children }: { href: string; children: string }) => (
  <PageLink href={href}>{children}</PageLink>
);

interface Credentials {
  email: string;
  password: string;
}

const credentialsOf = ({ email = '', password = '' }: Record<string, string>): Credentials => ({
  email,
  password,
});

/** Signs the browser in and shows the shell. */
function useSignIn(): (credentials: Credentials) => Promise<void> {
  const changed = useSessionChange();
  return async (credentials) => {
    await api.POST('/api/v1/auth/sign-in', { body: credentials });
    await changed();
  };
}

interface SignInProps {
  /** Over a page, whose title and links stay. */
  isAgain?: boolean;
  /** Of who was signed in. */
  email?: string;
}

function SignIn({ isAgain = false, email = '' }: SignInProps) {
  const signIn = useSignIn();
  const { data: status } = useAuthStatus();
  return (
    <StrangersForm
      title={text.signInTitle}
      isOverPage={isAgain}
      action={text.signIn}
      submit={(fields) => signIn(credentialsOf(fields))}
      fields={
        <>
          <Email known={email} isFirst={email === ''} />
          <PasswordInput
            label={text.password}
            name="password"
            autoFocus={email !== ''}
            autoComplete="current-password"
            required
          />
        </>
      }
      links={
        isAgain ? null : (
          <>
            <To href="/forgot-password">{text.forgot}</To>
            {status?.signUp === 'open' ? <To href="/sign-up">{text.signUp}</To> : null}
            {status?.claimed === false ? <To href="/claim">{text.claimInstead}</To> : null}
          </>
        )
      }
    />
  );
}

function Claim() {
  const signIn = useSignIn();
  const { data: status } = useAuthStatus();
  return (
    <StrangersForm
      title={text.claimTitle}
      lead={text.claimLead}
      action={text.claim}
      submit={async ({ code = '', ...fields }) => {
        const body = credentialsOf(fields);
        // a key is sent as keys are sent everywhere, so that no body holds one
        if (code.startsWith('sk_'))
          await api.POST('/api/v1/auth/claim', {
            body,
            headers: { authorization: `Bearer ${code}` },
          });
        else await api.POST('/api/v1/auth/claim', { body: { ...body, code } });
        await signIn(body);
      }}
      fields={
        <>
          <TextInput
            label={text.claimCode}
            description={text.claimHint}
            name="code"
            autoComplete="off"
            required
            autoFocus
          />
          <Email isFirst={false} />
          <NewPassword />
        </>
      }
      links={status?.claimed === false ? null : <To href="/sign-in">{text.haveAccount}</To>}
    />
  );
}

function SignUp() {
  const { data: status } = useAuthStatus();
  return (
    <StrangersForm
      title={text.signUpTitle}
      {...(status?.signUp === 'closed' ? { lead: text.signUpClosed } : {})}
      action={text.signUp}
      submit={(fields) => api.POST('/api/v1/auth/sign-up', { body: credentialsOf(fields) })}
      done={status?.mail === true ? text.signUpMailed : text.signUpDone}
      fields={
        <>
          <Email />
          <NewPassword />
        </>
      }
      links={<To href="/sign-in">{text.haveAccount}</To>}
    />
  );
}

function ForgotPassword() {
  const { data: status } = useAuthStatus();
  return (
    <StrangersForm
      title={text.resetTitle}
      lead={status?.mail === false ? text.resetWithoutMail : text.resetLead}
      action={text.resetSend}
      submit={({ email = '' }) => api.POST('/api/v1/auth/password-reset', { body: { email } })}
      done={text.resetDone}
      fields={<Email />}
      links={<To href="/sign-in">{text.signIn}</To>}
    />
  );
}
