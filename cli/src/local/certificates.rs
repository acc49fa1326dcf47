//! The database server's certificate and the authority that signed it.
//!
//! The authority signs once and its key is never written, so nobody can sign another certificate with it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};

use super::files;

/// How long a certificate is valid.
const VALIDITY: Duration = Duration::days(365);
/// A certificate with less time than this left is made anew at the next start.
const RENEWAL: Duration = Duration::days(30);
/// Clocks of two programs on one machine agree; a container's may be a little behind.
const CLOCK_SKEW: Duration = Duration::hours(1);

/// Where the files are.
#[derive(Debug, Clone)]
pub struct Certificates {
    /// The authority's certificate, which clients trust.
    pub ca: PathBuf,
    /// The server's certificate.
    pub certificate: PathBuf,
    /// The server's key.
    pub key: PathBuf,
    expiry: PathBuf,
}

impl Certificates {
    /// Certificates in `dir`, made anew when there are none or they end soon.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn ensure(dir: &Path) -> Result<Self> {
        let certificates = Self {
            ca: dir.join("ca.pem"),
            certificate: dir.join("server.pem"),
            key: dir.join("server.key"),
            expiry: dir.join("expires-at"),
        };
        if !certificates.are_good_at(OffsetDateTime::now_utc()) {
            certificates.make(OffsetDateTime::now_utc())?;
        }
        Ok(certificates)
    }

    fn are_good_at(&self, now: OffsetDateTime) -> bool {
        let expiry =
            std::fs::read_to_string(&self.expiry).ok().and_then(|text| text.trim().parse::<i64>().ok());
        let complete = [&self.ca, &self.certificate, &self.key].iter().all(|file| file.is_file());
        complete && expiry.is_some_and(|expiry| expiry - now.unix_timestamp() > RENEWAL.whole_seconds())
    }

    fn make(&self, now: OffsetDateTime) -> Result<()> {
        let (from, until) = (now - CLOCK_SKEW, now + VALIDITY);

        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, "Vouch local authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        (authority.not_before, authority.not_after) = (from, until);
        let authority_key = KeyPair::generate()?;
        let authority_certificate = authority.self_signed(&authority_key)?;
        let issuer = Issuer::new(authority, authority_key);

        let mut server = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        server.distinguished_name.push(DnType::CommonName, "localhost");
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.use_authority_key_identifier_extension = true;
        (server.not_before, server.not_after) = (from, until);
        let server_key = KeyPair::generate()?;
        let server_certificate = server.signed_by(&server_key, &issuer)?;

        // The expiry is written last: a run that is cut short leaves none, and the next one starts over.
        let _ = std::fs::remove_file(&self.expiry);
        files::write(&self.ca, &authority_certificate.pem())?;
        files::write(&self.certificate, &server_certificate.pem())?;
        files::write_secret(&self.key, &server_key.serialize_pem())?;
        files::write(&self.expiry, &until.unix_timestamp().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_ends_soon_or_is_incomplete_is_not_good() {
        let dir = std::env::temp_dir().join(format!("vouch-certificates-{}", uuid::Uuid::new_v4()));
        let certificates = Certificates::ensure(&dir).unwrap();
        let now = OffsetDateTime::now_utc();
        assert!(certificates.are_good_at(now));
        assert!(!certificates.are_good_at(now + VALIDITY - RENEWAL + Duration::hours(1)));
        let before = std::fs::read(&certificates.certificate).unwrap();
        Certificates::ensure(&dir).unwrap();
        assert_eq!(std::fs::read(&certificates.certificate).unwrap(), before, "a good one is kept");
        std::fs::remove_file(&certificates.key).unwrap();
        Certificates::ensure(&dir).unwrap();
        assert!(certificates.key.is_file());
        std::fs::remove_dir_all(dir).unwrap();
    }
}
