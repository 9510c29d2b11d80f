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
import type { SyntheticEvent } from 'react';
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
              <SignIn again={{ email: session?.account.email ?? '' }} />
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

const newPassword = {
  description: texts.common.passwordRule,
  name: 'password',
  autoComplete: 'new-password',
  minLength: 8,
  maxLength: 1024,
};

const fields = {
  code: { label: text.claimCode, description: text.claimHint, autoComplete: 'off' },
  email: { label: text.email, type: 'email', autoComplete: 'username' },
  password: { label: texts.common.password, autoComplete: 'current-password' },
  newPassword: { label: texts.common.password, ...newPassword },
  currentPassword: { label: texts.settings.currentPassword, autoComplete: 'current-password' },
  changedPassword: { label: texts.settings.newPassword, ...newPassword },
} as const;

type Typed = Record<'code' | 'email' | 'password' | 'currentPassword', string>;

interface CredentialsProps {
  /** The title of the page stays, and who signs in is known. */
  again?: { readonly email: string } | undefined;
  /** What the button says. */
  action: string;
  names: readonly (keyof typeof fields)[];
  /** The first field that is empty gets the focus. */
  hasFocus?: boolean;
  /** Gets the fields by their names, as far as the form has them. */
  submit: (typed: Typed) => Promise<unknown>;
  /** Stands in place of the form when it is done. */
  done?: string | undefined;
}

interface FormProps extends CredentialsProps {
  title: string;
  lead?: string | undefined;
  /** Paths of other forms with their words; false: not here. */
  links?: readonly (readonly [href: string, words: string] | false)[];
}

/** A form with passwords: its fields are read by name when it is sent. */
export function CredentialsForm(props: CredentialsProps) {
  const { again, action, names, hasFocus = true, submit, done } = props;
  const sending = useMutation({ mutationFn: submit });
  const send = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    sending.mutate(Object.fromEntries(new FormData(event.currentTarget)) as Typed);
  };
  const focused = hasFocus && names.find((name) => name !== 'email' || !again?.email);
  if (sending.isSuccess && done !== undefined) return <Text role="status">{done}</Text>;
  return (
    <form onSubmit={send}>
      <Stack>
        {names.map((name) => {
          const field = { name, required: true, autoFocus: name === focused, ...fields[name] };
          const known = name === 'email' && again ? { defaultValue: again.email } : {};
          return /password/i.test(name) ? (
            <PasswordInput key={name} {...field} />
          ) : (
            <TextInput key={name} {...field} {...known} />
          );
        })}
        {sending.error ? <Failure error={sending.error} /> : null}
        <Button type="submit" loading={sending.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}

function StrangersForm({ title, lead, links = [], ...form }: FormProps) {
  useDocumentTitle(form.again ? document.title : `${title} · Signalbox`);
  const shown = links.filter((link) => link !== false);
  return (
    <Panel title={title} order={form.again ? 2 : 1} lead={lead}>
      <Stack>
        <CredentialsForm {...form} />
        {shown.length === 0 ? null : (
          <Stack gap={4}>
            {shown.map(([href, words]) => (
              <PageLink key={href} href={href}>
                {words}
              </PageLink>
            ))}
          </Stack>
        )}
      </Stack>
    </Panel>
  );
}

/** Signs the browser in and shows the shell. */
function useSignIn() {
  const changed = useSessionChange();
  return async (body: Pick<Typed, 'email' | 'password'>): Promise<void> => {
    await api.POST('/api/v1/auth/sign-in', { body });
    await changed();
  };
}

const backToSignIn = ['/sign-in', text.haveAccount] as const;

function SignIn({ again }: Pick<FormProps, 'again'>) {
  const signIn = useSignIn();
  const { data: status } = useAuthStatus();
  const links: FormProps['links'] = [
    ['/forgot-password', text.forgot],
    status?.signUp === 'open' && ['/sign-up', text.signUp],
    status?.claimed === false && ['/claim', text.claimInstead],
  ];
  return (
    <StrangersForm
      title={text.signInTitle}
      action={text.signIn}
      names={['email', 'password']}
      submit={signIn}
      {...(again ? { again } : { links })}
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
      names={['code', 'email', 'newPassword']}
      submit={async ({ code, ...body }) => {
        // a key is sent as keys are sent everywhere, so that no body holds one
        if (code.startsWith('sk_'))
          await api.POST('/api/v1/auth/claim', {
            body,
            headers: { authorization: `Bearer ${code}` },
          });
        else await api.POST('/api/v1/auth/claim', { body: { ...body, code } });
        await signIn(body);
      }}
      links={[status?.claimed !== false && backToSignIn]}
    />
  );
}

function SignUp() {
  const { data: status } = useAuthStatus();
  return (
    <StrangersForm
      title={text.signUp}
      lead={status?.signUp === 'closed' ? text.signUpClosed : undefined}
      action={text.signUp}
      names={['email', 'newPassword']}
      submit={(body) => api.POST('/api/v1/auth/sign-up', { body })}
      done={status?.mail === true ? text.signUpMailed : text.signUpDone}
      links={[backToSignIn]}
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
      names={['email']}
      submit={(body) => api.POST('/api/v1/auth/password-reset', { body })}
      done={text.resetDone}
      links={[['/sign-in', text.signIn]]}
    />
  );
}
