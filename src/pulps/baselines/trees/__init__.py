"""Rivals built on trees and other plain classifiers."""
