//! Tests of valid and invalid configurations.

use std::collections::BTreeSet;

use super::keys::names_in;
use super::*;

fn read(text: &str) -> anyhow::Result<Config> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("turnpost.toml"), text).unwrap();
    Config::read(dir.path())
}

#[test]
fn the_example_is_valid() {
    let config = read(include_str!("../../deploy/turnpost.example.toml")).unwrap();
    assert_eq!(config.domain(), "example.org");
    assert!(matches!(config.transport, Transport::Smtp { tls: Tls::Starttls, .. }), "{config:?}");
    // The example shows the defaults and every key.
    let standard = Policy { administrators: vec!["alice".to_owned()], ..Policy::default() };
    assert_eq!(format!("{:?}", config.policy), format!("{standard:?}"));
    let policy = include_str!("../../deploy/turnpost.example.toml").split("[policy]").nth(1).unwrap();
    assert_eq!(format!("{:?}", config.receive), format!("{:?}", Receive::default()));
    assert_eq!(format!("{:?}", config.backup), format!("{:?}", Backup::default()));
    let keys: Vec<&str> = policy.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    let all: Vec<&str> = KEYS.iter().filter_map(|key| key.path.strip_prefix("policy.")).collect();
    assert_eq!(keys, all);
}

/// Returns the manual's pages about running a server: their names and texts.
fn manual() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run");
    let pages = std::fs::read_dir(folder).unwrap().map(|page| page.unwrap().path());
    pages
        .map(|path| (path.file_stem().unwrap().display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn the_manuals_examples_are_valid() {
    let pages = manual();
    let examples = |page: &str| -> Vec<Config> {
        let (_, text) = pages.iter().find(|(name, _)| name == page).unwrap_or_else(|| panic!("{page}"));
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        blocks.map(|block| read(block).unwrap_or_else(|error| panic!("{page}: {error:#}: {block}"))).collect()
    };
    let read_of_all = pages.iter().map(|(page, _)| examples(page).len()).sum::<usize>();
    assert!(read_of_all >= 10, "{read_of_all}");
    let mailbox = examples("mailbox-oauth");
    let [provider, oauth] = &mailbox[..] else { panic!("the page does not have two examples") };
    assert!(matches!(provider.transport, Transport::Smtp { tls: Tls::Starttls, .. }), "{provider:?}");
    assert_eq!(provider.receive.imap.as_ref().unwrap().host, "imap.example.org");
    assert!(oauth.oauth.as_ref().unwrap().endpoints().token.contains("/games.example/"));
    assert_eq!(examples("web")[0].web.proxies.len(), 2);
}

#[test]
fn the_manual_explains_every_key() {
    let pages = manual();
    for key in KEYS {
        let name = key.path.rsplit('.').next().unwrap();
        let is_explained = pages.iter().any(|(_, text)| text.contains(name));
        assert!(is_explained, "no page of docs/run mentions {}", key.path);
    }
}

#[test]
fn a_wrong_key_is_named() {
    let error = read("adress = \"turnpost@example.org\"").unwrap_err().to_string();
    assert!(error.contains("adress") && error.contains("turnpost.toml"), "{error}");
    let error = read("address = \"nobody\"").unwrap_err().to_string();
    assert!(error.contains("\"nobody\" is not a mail address"), "{error}");
}

#[test]
fn lmtp_listens_only_on_local_addresses() {
    let lmtp = |value: &str| read(&format!("[receive]\nlmtp = {value:?}")).map(|config| config.receive.lmtp.unwrap());
    assert!(matches!(lmtp("unix:lmtp.sock").unwrap(), LmtpAddress::Unix(path) if path.is_absolute()));
    let absolute = PathBuf::from("/run/turnpost/lmtp.sock");
    assert_eq!(lmtp("unix:/run/turnpost/lmtp.sock").unwrap(), LmtpAddress::Unix(absolute));
    assert_eq!(lmtp("systemd").unwrap(), LmtpAddress::Passed);
    for address in ["127.0.0.1:2424", "127.9.9.9:0", "[::1]:2424"] {
        assert_eq!(lmtp(address).unwrap(), LmtpAddress::Loopback(address.parse().unwrap()));
    }
    for (wrong, says) in [
        ("0.0.0.0:2424", "other machines"),
        ("192.0.2.1:2424", "other machines"),
        ("[::]:2424", "other machines"),
        ("127.0.0.1:25", "must not use"),
        ("localhost:2424", "is not valid"),
        ("unix:", "is not valid"),
        ("", "is not valid"),
    ] {
        let error = lmtp(wrong).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
    }
    assert!(read("[receive]\nsessions = 0").is_err());
}

#[test]
fn a_proxy_is_an_address_or_a_network() {
    let proxies = |value: &str| read(&format!("[web]\nproxies = {value}")).map(|config| config.web.proxies);
    assert!(read("").unwrap().web.proxies.is_empty(), "no proxy is trusted by default");
    let holds = |value: &str, address: &str| proxies(value).unwrap()[0].holds(address.parse().unwrap());
    assert!(holds("[\"127.0.0.1\"]", "127.0.0.1") && !holds("[\"127.0.0.1\"]", "127.0.0.2"));
    assert!(holds("[\"10.0.0.0/8\"]", "10.9.9.9") && holds("[\"10.0.0.0/8\"]", "::ffff:10.9.9.9"));
    assert!(holds("[\"fd00::/8\"]", "fd12::1") && !holds("[\"fd00::/8\"]", "fe80::1"));
    for (wrong, says) in [
        ("[\"localhost\"]", "neither an address"),
        ("[\"10.0.0.0/33\"]", "neither an address"),
        ("[\"\"]", "neither an address"),
        ("[\"0.0.0.0/0\"]", "would trust every client"),
        ("[\"::/0\"]", "would trust every client"),
        ("\"127.0.0.1\"", "sequence"),
    ] {
        let error = proxies(wrong).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
    }
    let example = include_str!("../../deploy/turnpost.example.toml");
    let line = example.lines().find_map(|line| line.strip_prefix("# proxies = ")).unwrap();
    assert_eq!(proxies(line.split('#').next().unwrap()).unwrap().len(), 2);
}

#[test]
fn imap_refuses_dangerous_settings() {
    let imap = |more: &str| {
        let text = "[receive.imap]\nuser = \"turnpost\"\npassword_file = \"imap-password\"\n";
        read(&format!("{text}{more}")).map(|config| config.receive.imap.unwrap())
    };
    let least = imap("host = \"imap.example.org\"").unwrap();
    assert!(
        least.password_file.as_ref().unwrap().is_absolute() && least.tls == Tls::Wrapped && !least.delete,
        "{least:?}"
    );
    assert_eq!((least.port(), least.mailbox.as_str(), least.folder.as_str()), (993, "INBOX", "Turnpost"));
    assert_eq!(imap("host = \"imap.example.org\"\ntls = \"starttls\"").unwrap().port(), 143);
    for host in ["localhost", "127.0.0.1", "::1"] {
        assert_eq!(imap(&format!("host = {host:?}\ntls = \"none\"")).unwrap().port(), 143);
    }
    for (wrong, says) in [
        ("host = \"imap.example.org\"\ntls = \"none\"", "unencrypted"),
        ("host = \"h\"\nfolder = \"inbox\"", "must be moved out of"),
        ("host = \"h\"\nfolder = \"\"", "is not a mailbox name"),
        ("host = \"h\"\nmailbox = \"Entwürfe\"", "is not a mailbox name"),
        ("host = \"h\"\npassword = \"secret\"", "unknown key"),
        ("", "missing field"),
    ] {
        let error = imap(wrong).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
    }
    assert!(imap("host = \"h\"\nfolder = \"INBOX\"\ndelete = true").is_ok());
    // The example shows every key.
    let example = include_str!("../../deploy/turnpost.example.toml").split("# [receive.imap]").nth(1).unwrap();
    let table = example.lines().skip(1).map_while(|line| line.strip_prefix("# "));
    let table = table.collect::<Vec<_>>().join("\n");
    let shown = read(&format!("[receive.imap]\n{table}")).unwrap().receive.imap.unwrap();
    let default = imap("host = \"imap.example.org\"").unwrap();
    assert_eq!((shown.tls, shown.port(), shown.delete), (default.tls, default.port(), default.delete));
    assert_eq!((shown.mailbox, shown.folder), (default.mailbox, default.folder));
}

#[test]
fn backups_may_be_below_the_data_directory() {
    let backup = read("[backup]\ndirectory = \"backups\"").unwrap().backup;
    assert!(backup.directory.unwrap().is_absolute() && (backup.every, backup.keep) == (24, 7));
    for wrong in ["every = 0", "keep = 0", "every = -1", "often = 1"] {
        assert!(read(&format!("[backup]\n{wrong}")).is_err(), "{wrong}");
    }
}

#[test]
fn defaults_apply_without_a_file() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Config::read(dir.path()).unwrap().transport, Transport::Maildir));
}

#[test]
fn every_fault_is_reported_with_its_line() {
    let messages = |text: &str| -> Vec<String> {
        Config::parse(text, Path::new("/data")).1.iter().map(ToString::to_string).collect()
    };
    let text = "adress = \"a@b.example\"\nsigned_senders = \"yes\"\n\n[recieve]\nidle = 1\n[web]\nlisten = \"nowhere\"\n\
                proxies = [\"127.0.0.1\", \"0.0.0.0/0\"]\n[backup]\nevery = 0\nkep = 3\n[policy]\nnagtime = -1\n";
    let expected = [
        "line 1: unknown key `adress`; did you mean `address`?",
        "line 2: signed_senders: \"yes\" is not valid; write true or false",
        "line 4: unknown key `recieve`; did you mean `receive`?",
        "line 7: web.listen: \"nowhere\" is not an address with a port; write one such as \"127.0.0.1:8080\"",
        "line 8: web.proxies: ",
        "line 10: backup.every must be from 1 to 8784",
        "line 11: unknown key `kep` in [backup]; did you mean `keep`?",
        "line 13: policy.nagtime: -1 is not valid; write a whole number from 0 to 3650",
    ];
    let found = messages(text);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found:?} is not {expected:?}");
    }
    let imap = "[receive.imap]\nhost = \"h\"\nuser = \"u\"\npassword_file = \"p\"\n";
    for (text, expected) in [
        ("address =\n", "line 1: "),
        ("\n[web\nlisten = 1\n", "line 2: "),
        ("\naddress = \"a@b\"\naddress = \"c@d\"\n", "line 3: duplicate key `address`; a key or table can"),
        ("[web]\n[policy]\n[web]\n", "line 3: duplicate key `web`"),
        ("\naddress = \"nobody\"\n", "line 2: address = \"nobody\" is not a mail address"),
        ("\n[transport]\nkind = \"smpt\"\n", "line 3: transport.kind: unknown variant `smpt`"),
        (
            "[transport]\nkind = \"smtp\"\nhots = \"h\"\n",
            "line 3: unknown key `hots` in [transport]; did you mean `host`?",
        ),
        ("[transport]\nkind = \"smtp\"\n", "line 1: transport: missing field `host`"),
        ("[transport]\nkind = \"smtp\"\nhots = \"h\"\nhost = \"h\"\n", "line 3: unknown key `hots` in [transport]"),
        ("[transport]\nkind = \"smtp\"\nhost = \"h\"\nuser = \"u\"\n", "line 4: [transport] has a user, so it needs"),
        ("\n[receive.imap]\nhost = \"h\"\nuser = \"u\"\n", "line 2: [receive.imap] needs a password_file or [oauth]"),
        (&format!("{imap}foldr = \"x\"\n"), "line 5: unknown key `foldr` in [receive.imap]; did you mean `folder`?"),
        (&format!("{imap}tls = \"none\"\n"), "line 5: tls = \"none\" would send the password"),
        (&format!("{imap}folder = \"INBOX\"\n"), "line 5: processed mail must be moved out of"),
        (&format!("{imap}mailbox = \"\"\n"), "line 5: \"\" is not a mailbox name"),
        ("[receive]\nlmtp = \"0.0.0.0:24\"\n", "line 2: receive.lmtp: lmtp = \"0.0.0.0:24\" can be reached"),
        ("[receive]\nsessions = 0\n", "line 2: receive.sessions must be from 1 to 10000"),
        ("[receive]\nidle = 0\n", "line 2: receive.idle must be from 1 to 86400"),
        ("[backup]\nkeep = 0\n", "line 2: backup.keep must be from 1 to 100000"),
        ("[metrics]\nstalled_after = 0\n", "line 2: metrics.stalled_after must be from 1 to 86400"),
        ("[receive]\nidle = 9223372036854775807\n", "line 2: receive.idle must be from 1 to 86400"),
        ("[policy]\nnagtime = 4294967295\n", "line 2: policy.nagtime must be from 0 to 3650"),
        ("[policy]\nforfeittime = 3651\n", "line 2: policy.forfeittime must be from 0 to 3650"),
        ("[policy]\ntotaltime = 4294967295\n", "line 2: policy.totaltime must be from 0 to 3650"),
        ("[policy]\nvacation_days = 367\n", "line 2: policy.vacation_days must be from 0 to 366"),
        ("[policy]\nkeep_messages = 36526\n", "line 2: policy.keep_messages must be from 0 to 36525"),
        ("[policy]\nkeep_letters = 4294967295\n", "line 2: policy.keep_letters must be from 0 to 36525"),
        ("[web]\nurl = \"games\"\n", "line 2: url = \"games\" of [web] is not an address"),
        (
            "[web]\nlisten = \"127.0.0.1:80\"\n[metrics]\nlisten = \"127.0.0.1:80\"\n",
            "line 4: listen = \"127.0.0.1:80\" of [metrics] is also that of [web]",
        ),
        ("[house]\nnagtimes = 1\n", "line 2: unknown key `nagtimes` in [policy]; did you mean `nagtime`?"),
        ("completely = \"different\"\n", "line 1: unknown key `completely`"),
        ("administrators = [\"alice\"]\n", "line 1: unknown key `administrators`; it belongs in [policy]"),
        (
            "[web]\naddress = \"a@b.example\"\n",
            "line 2: unknown key `address` in [web]; it belongs above the first table",
        ),
        (
            "[policy]\nlisten = \"[::1]:80\"\n",
            "line 2: unknown key `listen` in [policy]; it belongs in [web] or in [metrics]",
        ),
        (
            "[policy]\nkeep_mails = 30\n",
            "line 2: unknown key `keep_mails` in [policy]; its name is now `keep_messages`",
        ),
    ] {
        let found = messages(text);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{text}{found:?} is not {expected:?}");
    }
    assert_eq!(messages("[house]\nnagtime = 1\n"), Vec::<String>::new());
}

#[test]
fn a_fault_of_a_game_or_engine_is_reported_with_the_line_of_its_table() {
    let text = "[games.marque]\noptions = \"-x\"\n[games.chess]\n[games.lazo]\noptions = \"-x\"\n\
                [robot.engine.a]\ncommand = [\"x\"]\ngames = [\"hex\"]\n\
                [robot.engine.b]\ncommand = [\"x\"]\ngames = [\"chess\"]\n\
                [robot.engine.\"a.b\"]\ncommand = [\"x\"]\ngames = [\"chess\"]\n";
    let (_, problems) = Config::parse(text, Path::new("/data"));
    let lines: Vec<Option<usize>> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(5), Some(9), Some(12)], "{problems:#?}");
}

#[test]
fn a_wrong_value_is_reported_without_the_types_of_the_program() {
    for key in KEYS.iter().filter(|key| !key.path.contains("NAME") && !key.path.contains("GAME")) {
        for value in ["\"many\"", "-1", "[]", "99999999999"] {
            let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
            let table = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
            let text = format!("{table}{name} = {value}\n");
            for problem in Config::parse(&text, Path::new("/data")).1 {
                let what = problem.what;
                let is_clear = [
                    "expected u8", "expected u16", "expected u32", "expected u64", "expected usize", "boolean",
                    "socket",
                ]
                .iter()
                .all(|word| !what.contains(word));
                assert!(is_clear, "{text}{what}");
            }
        }
    }
}

#[test]
fn every_oauth_fault_is_reported_with_its_line() {
    let imap = "[receive.imap]\nhost = \"h\"\nuser = \"u\"\n";
    let client = "[oauth]\nclient_id = \"c\"\n";
    let own = "token_endpoint = \"https://a.example/t\"\nscope = \"mail\"\n";
    let messages = |text: &str| -> Vec<String> {
        let text = format!("{imap}{text}");
        Config::parse(&text, Path::new("/data")).1.iter().map(ToString::to_string).collect()
    };
    let smtp = "[transport]\nkind = \"smtp\"\nhost = \"h\"\nuser = \"u\"\n";
    for (text, expected) in [
        ("[oauth]\nprovider = \"microsoft\"\n".to_owned(), "line 4: [oauth] needs the client_id"),
        (format!("{client}provider = \"gogle\"\n"), "line 6: oauth.provider: unknown variant `gogle`"),
        (client.to_owned(), "line 4: [oauth] needs a provider"),
        (format!("{client}{own}"), "line 4: [oauth] needs a provider"),
        (format!("{client}tokn_endpoint = \"https://a.example/t\"\nprovider = \"microsoft\"\n"), "line 6: unknown key"),
        (format!("{client}provider = \"google\"\n"), "line 4: Google gives each client a secret"),
        (format!("{client}provider = \"microsoft\"\nscope = \"mail\"\n"), "line 7: oauth.scope is set by the provider"),
        (format!("{client}provider = \"microsoft\"\ntenant = \"a/b\"\n"), "line 7: \"a/b\" is not a tenant"),
        (
            format!("{client}{own}device_endpoint = \"https://a.example/d\"\ntenant = \"a\"\n"),
            "line 9: oauth.tenant is valid only with provider = \"microsoft\"",
        ),
        (
            format!("{client}{own}device_endpoint = \"http://a.example/d\"\n"),
            "line 8: oauth.device_endpoint: \"http://a.example/d\" would send secrets unencrypted",
        ),
        ("[oauth]\nclient_id = \"\"\nprovider = \"microsoft\"\n".to_owned(), "line 5: [oauth] needs the client_id"),
        (
            format!("{client}provider = \"microsoft\"\n{smtp}tls = \"none\"\n"),
            "line 11: tls = \"none\" would send the access token",
        ),
        (format!("password_file = \"p\"\n{client}provider = \"microsoft\"\n"), "line 5: [oauth] is not used"),
    ] {
        let found = messages(&text);
        assert!(found.iter().any(|found| found.starts_with(expected)), "{text}{found:?} is not {expected:?}");
        // The parser removes a faulty key, so the key is also reported as missing.
        let is_left_out = ["oauth.provider:", "oauth.device_endpoint:"].iter().any(|path| expected.contains(path));
        assert_eq!(found.len(), if is_left_out { 2 } else { 1 }, "{found:?}");
    }
    let config = format!("{imap}{client}provider = \"google\"\nclient_secret_file = \"secret\"\n{smtp}");
    let (config, problems) = Config::parse(&config, Path::new("/data"));
    assert_eq!(problems, []);
    let files = config.unwrap();
    assert_eq!(
        files.named_files(),
        [Path::new("/data/secret"), Path::new("/data/oauth.json")],
        "backups contain both files"
    );
}

/// Returns the fields that a type reads, as listed in its error about an unknown field.
fn fields(text: &str) -> BTreeSet<String> {
    let error = toml::from_str::<Config>(text).unwrap_err().message().to_owned();
    let (_, expected) = error.split_once(", expected ").unwrap_or_else(|| panic!("{error}"));
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn computer_players_have_limits() {
    let config = read("[robot]\nlevels = 3\nseconds = 5\nmemory = 64").unwrap();
    assert_eq!((config.policy.robots, config.robot.time().as_secs(), config.robot.memory), (3, 5, 64));
    assert_eq!(read("[robot]\nseconds = 0.25").unwrap().robot.time().as_millis(), 250);
    for (wrong, says) in [
        ("levels = 13", "levels must be from 0 to 12"),
        ("seconds = 0", "seconds must be from 0.01 to 3600"),
        ("seconds = nan", "seconds must be from 0.01 to 3600"),
        ("memory = 15", "memory must be from 16 to 1000000"),
        ("threads = 0", "threads must be from 1"),
    ] {
        let error = read(&format!("[robot]\n{wrong}")).unwrap_err().to_string();
        assert!(error.contains(says), "{wrong}: {error}");
    }
}

#[test]
fn external_programs_have_names_and_limits() {
    let engine =
        |more: &str| read(&format!("[robot.engine.hex-1]\ncommand = [\"hex\", \"{{game}}\", \"{{options}}\"]\n{more}"));
    let config = engine("games = [\"brique\"]\nseconds = 3").unwrap();
    let known = config.robot.of("robot-hex-1").unwrap();
    assert_eq!((known.seconds, known.memory), (3, 1_024));
    assert_eq!(known.words("brique", "-size=9"), ["hex", "brique", "-size=9"]);
    assert_eq!(known.words("brique", ""), ["hex", "brique"]);
    assert!(config.policy.engine("ROBOT-hex-1").unwrap().takes_options && config.policy.engine("robot-hex").is_none());
    for (wrong, says) in [
        ("", "missing field `games`"),
        ("games = []", "games names none"),
        ("games = [\"chess\"]", "no game \"chess\""),
        ("games = [\"brique\"]\nseconds = 0", "from 1 to 3600"),
        ("games = [\"brique\"]\nmemory = 1", "from 16 to 1000000"),
        ("games = [\"brique\"]\nmemory = 9223372036854775807", "from 16 to 1000000"),
        ("games = [\"brique\"]\nmemry = 1", "did you mean `memory`"),
    ] {
        let error = engine(wrong).unwrap_err().to_string();
        assert!(error.contains(says), "{wrong}: {error}");
    }
    for name in ["Hex", "a-name-that-is-too-long", "\"with blank\""] {
        let error = read(&format!("[robot.engine.{name}]\ncommand = [\"x\"]\ngames = [\"lazo\"]")).unwrap_err();
        assert!(error.to_string().contains("is not a userid"), "{name}: {error}");
    }
}

#[test]
fn exactly_the_keys_that_are_read_are_described() {
    let tables = [
        ("", "zz = 1".to_owned()),
        ("receive.", "[receive]\nzz = 1".to_owned()),
        ("receive.imap.", "[receive.imap]\nzz = 1".to_owned()),
        ("oauth.", "[oauth]\nzz = 1".to_owned()),
        ("web.", "[web]\nzz = 1".to_owned()),
        ("backup.", "[backup]\nzz = 1".to_owned()),
        ("metrics.", "[metrics]\nzz = 1".to_owned()),
        ("robot.", "[robot]\nzz = 1".to_owned()),
        ("robot.engine.NAME.", "[robot.engine.x]\ncommand = [\"x\"]\ngames = []\nzz = 1".to_owned()),
        ("games.GAME.", "[games.x]\nzz = 1".to_owned()),
        ("events.", "[events]\nzz = 1".to_owned()),
        ("policy.", "[policy]\nzz = 1".to_owned()),
    ];
    let described = |table| names_in(table).map(str::to_owned).collect::<BTreeSet<_>>();
    for (table, text) in &tables {
        let mut read = fields(text);
        read.remove("house");
        assert_eq!(described(table), read, "[{table}]");
    }
    let kinds = ["sendmail", "smtp"].map(|kind| fields(&format!("[transport]\nkind = {kind:?}\nhost = \"h\"\nzz = 1")));
    let mut read: BTreeSet<String> = kinds.into_iter().flatten().collect();
    read.insert("kind".to_owned());
    assert_eq!(described("transport."), read);
    for key in KEYS {
        let table = key.path.rfind('.').map_or("", |dot| &key.path[..=dot]);
        assert!(table == "transport." || tables.iter().any(|(name, _)| *name == table), "the test compares {table}");
        assert!(!key.meaning.is_empty() && key.meaning.ends_with('.') && !key.unit.is_empty(), "{key:?}");
    }
}

#[test]
fn the_described_defaults_apply() {
    let written = |is_such: &dyn Fn(&str) -> bool| -> String {
        let keys = KEYS.iter().filter(|key| is_such(key.path));
        keys.filter_map(|key| Some(format!("{} = {}\n", key.path, key.default?))).collect()
    };
    let plain =
        written(&|path| !["transport.", "receive.imap.", "robot.engine."].iter().any(|table| path.starts_with(table)));
    assert_eq!(format!("{:?}", toml::from_str::<Config>(&plain).unwrap()), format!("{:?}", Config::default()));
    let imap = "receive.imap.host = \"h\"\nreceive.imap.user = \"u\"\nreceive.imap.password_file = \"p\"\n";
    let engine = "robot.engine.NAME.command = [\"x\"]\nrobot.engine.NAME.games = [\"lazo\"]\n";
    let smtp = "transport.kind = \"smtp\"\ntransport.host = \"h\"\n";
    let sendmail = "transport.kind = \"sendmail\"\n";
    for (least, more) in [
        (imap, written(&|path| path.starts_with("receive.imap."))),
        (engine, written(&|path| path.starts_with("robot.engine."))),
        (smtp, written(&|path| path == "transport.tls")),
        (sendmail, written(&|path| path == "transport.command")),
        ("", written(&|path| path == "transport.kind")),
    ] {
        let read = |text: &str| format!("{:?}", toml::from_str::<Config>(text).unwrap());
        assert!(!more.is_empty());
        assert_eq!(read(least), read(&format!("{least}{more}")));
    }
}
