import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Group,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { basePath } from './api/client.js';
import { ClosedPage } from './components/closed-page.js';
import { Empty } from './components/empty.js';
import { Loading } from './components/loaded.js';
import { type NavigatedPage, pages } from './pages.js';
import { AccountMenu } from './session/account-menu.js';
import { useMay } from './session/session.js';
import { texts } from './texts/texts.js';

const { navigation, common } = texts;

/** Where people sign in; who is signed in goes on to the start page. */
const strangersPaths = ['/sign-in', '/sign-up', '/claim', '/forgot-password'];

/** The frame of every page for signed-in people: header, navigation, content. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header px="md">
        <Anchor href="#content" className="skip-link">
          {navigation.skip}
        </Anchor>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" flex="none">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={navigation.open}
            />
            <img src={`${basePath}/icon.svg`} alt="" width={24} height={24} />
            <Text fw={700}>Signalbox</Text>
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <ThemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={navigation.label}>
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <CurrentPage />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation();
  const current = location.split('/')[1] ?? '';
  const open = useOpenPages();
  return (
    <AppShell.Section grow component={ScrollArea}>
      {open.map(({ path, label }) => (
        <NavLink
          key={path}
          component={Link}
          href={`/${path}`}
          label={label}
          active={path === current}
          aria-current={path === current ? 'page' : undefined}
          onClick={onNavigate}
        />
      ))}
      <NavLink href={`${basePath}/docs`} label={navigation.reference} />
    </AppShell.Section>
  );
}

/** The pages that who is signed in may use. */
function useOpenPages(): readonly NavigatedPage[] {
  const may = useMay();
  return pages.filter(({ needs }) => needs === null || may(needs));
}

function CurrentPage() {
  const open = useOpenPages();
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path} path={page.path === '' ? '/' : `/${page.path}/*?`}>
          {open.includes(page) ? <page.Content /> : <Closed page={page} first={open[0]} />}
        </Route>
      ))}
      {strangersPaths.map((path) => (
        <Route key={path} path={path}>
          <Redirect to="/" replace />
        </Route>
      ))}
      <Route>
        <Empty
          title={common.notFound}
          hint={common.notFoundHint}
          actions={
            <Anchor component={Link} href="/">
              {common.goHome}
            </Anchor>
          }
        />
      </Route>
    </Switch>
  );
}

/** In place of a page that needs more rights; the start page leads to one that does not. */
function Closed({ page, first }: { page: NavigatedPage; first: NavigatedPage | undefined }) {
  if (page.path === '' && first) return <Redirect to={`/${first.path}`} replace />;
  return page.needs === null ? null : <ClosedPage title={page.label} scope={page.needs} />;
}

function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? navigation.light : navigation.dark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <span aria-hidden>{isDark ? '☀' : '☾'}</span>
    </ActionIcon>
  );
}
